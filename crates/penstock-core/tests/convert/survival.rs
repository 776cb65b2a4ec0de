//! Any document survives the element form, and any conversion can be read back.

use std::fs;
use std::path::Path;

use penstock_core::convert::Form;
use penstock_core::limits::Limits;
use penstock_core::xml::Options;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::RngSeed;

use crate::converting::{How, Side, check, converted, good};
use crate::documents::document;
use crate::recording::{Answers, Cuts, Recorder, What, read};

/// The events of a document, declarations included, without their offsets; none if it has a fault.
fn events(text: &str) -> Option<Vec<What>> {
    let options = Options { declarations: true, ..Options::default() };
    let mut recorder = Recorder::new(Answers { extras: true, ..Answers::default() });
    read(text, options, &Limits::default(), &Cuts::WHOLE, &mut recorder);
    let whats: Vec<What> = recorder.events.into_iter().map(|(_, what)| what).collect();
    (!matches!(whats.last(), Some(What::Fault(..)))).then_some(whats)
}

/// The seeds of the fuzz target.
fn seeds() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus/convert");
    let mut paths: Vec<_> =
        fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| fs::read(path).unwrap()).collect()
}

#[test]
fn each_seed() {
    let seeds = seeds();
    assert!(seeds.len() > 40);
    seeds.iter().for_each(|seed| check(seed));
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(31),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(800))]

    #[test]
    fn the_element_form_loses_nothing(text in document()) {
        let Some(all) = events(&text) else { return Ok(()) };
        let json = good(&text, &How::new(Side::Xml, Side::Json, Form::Element));
        let again = good(&json, &How::new(Side::Json, Side::Xml, Form::Element));
        prop_assert_eq!(events(&again), Some(all), "{} becomes {} becomes {}", text, json, again);
        // And once more it is the same text.
        prop_assert_eq!(good(&again, &How::new(Side::Xml, Side::Json, Form::Element)), json);
    }

    /// What the fuzz target does, near its seeds.
    #[test]
    fn anything_near_the_seeds(
        seed: Index, changes in vec((any::<Index>(), any::<u8>()), 0..4), cut: Option<Index>,
    ) {
        let seeds = seeds();
        let mut data = seed.get(&seeds).clone();
        for (at, byte) in changes {
            let at = at.index(data.len());
            data[at] = byte;
        }
        if let Some(cut) = cut {
            data.truncate(cut.index(data.len()).max(3));
        }
        check(&data);
    }

    #[test]
    fn a_document_is_the_same_as_xml(text in document()) {
        let Some(all) = events(&text) else { return Ok(()) };
        let again = good(&text, &How::new(Side::Xml, Side::Xml, Form::Plain));
        prop_assert_eq!(events(&again), Some(all), "{} becomes {}", text, again);
    }

    #[test]
    fn whatever_is_written_can_be_read(text in document(), at in 0_usize..4) {
        if events(&text).is_none() {
            return Ok(());
        }
        let at = [None, Some("*/*"), Some("//*"), Some("a/@b")][at];
        for (to, form) in [
            (Side::Json, Form::Plain),
            (Side::Lines, Form::Plain),
            (Side::Json, Form::Element),
            (Side::Lines, Form::Element),
            (Side::Xml, Form::Plain),
        ] {
            let how = How { at, ..How::new(Side::Xml, to, form) };
            let (Ok(out), _) = converted(&text, &how) else { continue };
            let step = 1;
            prop_assert_eq!(converted(&text, &How { step, ..how }).0, Ok(out.clone()));
            let same = How::new(to, to, Form::Plain);
            prop_assert_eq!(good(&out, &same), out.clone(), "{}", text);
        }
    }
}
