//! However the text is cut, and wherever the sink pauses, the events and the fault are the same.

use penstock_core::limits::Limits;
use penstock_core::xml::{Options, RepairKind, Repairs, Unresolved};
use proptest::prelude::*;

use crate::documents::{cuts, damaged, document, typed};
use crate::naive::assert_twin;
use crate::recording::{Answers, Cuts, Event, Recorder, What, filtered, read, settled, unplaced};
use crate::{config, told};

const EXTRAS: Answers = Answers { skips: 0, watches: 0, pauses: 0, extras: true };

/// With a document type or without.
fn any_document() -> impl Strategy<Value = String> {
    prop_oneof![document(), typed()]
}

proptest! {
    #![proptest_config(config(600))]

    #[test]
    fn the_twin_reads_the_same(text in prop_oneof![document(), damaged(document())]) {
        assert_twin(&text, told(&text, Options::default(), &Cuts::WHOLE, EXTRAS));
    }

    /// With any cuts, and with any parts skipped, watched and paused at, on both instruction sets
    /// and with the shared copy of the grammar.
    #[test]
    fn any_windows_tell_the_same(
        text in damaged(any_document()), cuts in cuts(),
        skips in 0_u64..4, watches in 0_u64..4, pauses in 0_u64..4, extras: bool, copy in 0_u8..3,
    ) {
        let answers = Answers { skips, watches, pauses, extras };
        let all = told(&text, Options::default(), &Cuts::WHOLE, Answers { extras, ..Answers::default() });
        let expected = settled(filtered(&all, answers));
        for cuts in [Cuts::WHOLE, Cuts::bytes(), cuts] {
            let (portable, shared) = (copy == 1, copy == 2);
            let mut recorder = Recorder { portable, shared, ..Recorder::new(answers) };
            read(&text, Options::default(), &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(&settled(recorder.events), &expected, "{:?}", cuts);
        }
    }

    /// After a refused event the reader continues with the next one, or skips the abandoned
    /// element.
    #[test]
    fn what_is_given_up_is_passed_over(
        text in damaged(any_document()), cuts in cuts(), number in any::<prop::sample::Index>(), depth in 0_usize..4,
    ) {
        let all = told(&text, Options::default(), &Cuts::WHOLE, EXTRAS);
        let refused = number.index(all.len());
        let (mut open, mut passing) = (0_usize, false);
        let mut expected = Vec::new();
        for (number, event) in all.iter().enumerate() {
            let silent = passing && !matches!(event.1, What::Fault(..));
            match event.1 {
                What::Element(_) => open += 1,
                What::End => open -= 1,
                _ => {}
            }
            if !silent {
                expected.push(event.clone());
            }
            // Text is not refused here, because the beginnings of its pieces depend on the windows.
            let refused = number == refused && !matches!(event.1, What::Piece(_));
            passing = open > depth && (passing || refused);
        }
        for cuts in [Cuts::WHOLE, cuts] {
            let mut recorder = Recorder { refusal: Some((refused, depth)), ..Recorder::new(EXTRAS) };
            read(&text, Options::default(), &Limits::default(), &cuts, &mut recorder);
            prop_assert_eq!(settled(recorder.events), settled(expected.clone()));
        }
    }

    /// Names as written, declarations reported, and everything repaired.
    #[test]
    fn any_options_tell_the_same(text in damaged(any_document()), cuts in cuts(), chosen in 0_u8..8) {
        let repairs = RepairKind::XML.into_iter().fold(Repairs::default(), Repairs::with);
        let options = Options {
            namespaces: chosen & 1 == 0,
            declarations: chosen & 2 != 0,
            unresolved: if chosen & 4 == 0 { Unresolved::Error } else { Unresolved::Text },
            repairs: if chosen & 4 == 0 { repairs } else { Repairs::default() },
        };
        let told = |cuts: &Cuts| unplaced(settled(told(&text, options, cuts, EXTRAS)));
        let expected = told(&Cuts::WHOLE);
        for cuts in [Cuts::bytes(), cuts] {
            prop_assert_eq!(&told(&cuts), &expected);
        }
    }
}

/// Small documents with every part of the grammar, and faults in each.
const DOCUMENTS: &[&str] = &[
    "<?xml version='1.0' encoding=\"utf-8\" standalone='yes' ?><a/>",
    "<?xml version='1.1'?><a/>",
    " <?xml version='1.0'?><a/>",
    "<?xmlx?><?xml-s y?><a></a >",
    "<a>é&amp;<![CDATA[x]]]]>]]<!-- - --><?p x?></a>\r\n<!---->",
    "<a b='1' c=\"x&#10;\r\ny\"/>",
    "<a b='1' b='2'/>",
    "<p:a xmlns:p='u' p:b='1'><p:a xmlns:p='v' xmlns='w'/><b/></p:a>",
    "<a><p:b/></a>",
    "<a x:b='1'/>",
    "<a>]]></a>",
    "<a>&lt</a>",
    "<a>&e;</a>",
    "<a>&#xFFFE;</a>",
    "<a b='<'/>",
    "<a></b>",
    "<a><!-- -- --></a>",
    "<a/><b/>",
    "<a/>x",
    "<a>\u{FFFF}</a>",
    "<a \u{B7}='1'/>",
    "<",
    "",
    // The state of a cut tag must not be applied to the comment after it.
    "<r xmlns:p='a longer tag than'></r><!--m--><?p d?>",
    "<r></r         ><!--m-->",
    // A fault inside a construct that never ends, whether the sink wants the construct or not.
    "<a><b><!-- \u{1} </b></a>",
    "<a><b><?p \u{1} </b></a>",
    "<a><b><?p </b></a>",
    "<!DOCTYPE a><a/>",
    "<!DOCTYPE a SYSTEM 'a.dtd'><a>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e 'x<b>y</b>'><!ENTITY % p '<!--c-->'>%p;]><a c='&#38;'>&e;&e;</a>",
    "<!DOCTYPE a [<!ATTLIST a b CDATA 'd' c NMTOKENS ' x  y '><!ELEMENT a ANY>]><a c=' 1  2 '/>",
    "<!DOCTYPE a [<!ENTITY e '&f;'><!ENTITY f '&e;'>]><a>&e;</a>",
    "<!DOCTYPE a [<!ENTITY e '<b>'>]><a>&e;</b></a>",
    "<!DOCTYPE a [<!ENTITY e ''><!NOTATION n PUBLIC 'p'><?p?>]  ><a>x&e;y</a>",
    "<!DOCTYPE a [<!ENTITY e>]><a/>",
    "<!DOCTYPE a [ x ]><a/>",
];

/// Every cut of each in two, and byte by byte.
#[test]
fn every_cut() {
    for text in DOCUMENTS {
        for skips in 0..3 {
            let answers = Answers { extras: skips != 1, ..Answers::skipping(skips) };
            let expected = settled(told(text, Options::default(), &Cuts::WHOLE, answers));
            for first in 1..=text.len() as u8 {
                for second in [1, 3, 254] {
                    let cuts = Cuts(vec![first, second, 255]);
                    let found = settled(told(text, Options::default(), &cuts, answers));
                    assert_eq!(found, expected, "{text:?} cut at {first} and {second} later");
                }
            }
            let found = settled(told(text, Options::default(), &Cuts::bytes(), answers));
            assert_eq!(found, expected, "{text:?} byte by byte");
        }
    }
}

/// A skipped or watched part is left out, and nothing else changes: the fault is the same.
#[test]
fn every_answer() {
    for text in DOCUMENTS {
        let all = told(text, Options::default(), &Cuts::WHOLE, EXTRAS);
        for seed in 1..40 {
            for answers in [
                Answers { skips: seed, ..EXTRAS },
                Answers { watches: seed, ..EXTRAS },
                Answers { skips: seed, watches: seed + 1, pauses: seed, ..EXTRAS },
            ] {
                let found = told(text, Options::default(), &Cuts::WHOLE, answers);
                assert_eq!(
                    settled(found),
                    settled(filtered(&all, answers)),
                    "{text:?} {answers:?}"
                );
            }
        }
    }
}

/// A watching sink gets the elements that wake it at any depth, and no others.
#[test]
fn watching() {
    let text = "<a><c x='1'><b>1<c/></b></c>t<p:b xmlns:p='u'/><b><b/></b></a>";
    let all = told(text, Options::default(), &Cuts::WHOLE, Answers::default());
    let begins = |events: &[Event]| -> Vec<u64> {
        let begins = events.iter().filter(|(_, what)| *what == What::Begin);
        begins.map(|(at, _)| *at).collect()
    };
    assert_eq!(begins(&all), [0, 3, 12, 16, 29, 47, 50]);
    // A seed that watches the root and nothing else.
    let seed = (1..).find(|seed| {
        let answers = Answers { watches: *seed, ..Answers::default() };
        begins(&filtered(&all, answers)) == [12, 16, 29, 47, 50]
    });
    let answers = Answers { watches: seed.unwrap(), ..Answers::default() };
    for cuts in [Cuts::WHOLE, Cuts::bytes()] {
        let found = told(text, Options::default(), &cuts, answers);
        assert_eq!(begins(&found), [12, 16, 29, 47, 50]);
        assert_eq!(found, filtered(&all, answers));
    }
}

/// If repairs leave nothing of a CDATA section, no text is reported.
#[test]
fn cdata_that_is_left_out() {
    let repairs = Repairs::default().with(RepairKind::ControlCharacter);
    let options = Options { repairs, ..Options::default() };
    for cuts in [Cuts::WHOLE, Cuts::bytes()] {
        let found = told("<a><![CDATA[\u{5}]]></a>", options, &cuts, Answers::default());
        let whats: Vec<What> = found.into_iter().map(|(_, what)| what).skip(1).collect();
        assert_eq!(whats, [What::Begin, What::End]);
    }
}
