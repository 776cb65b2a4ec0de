//! Suggests the known name that an unknown one was probably meant to be, for messages.

/// Longer names are not compared, which bounds the work for each of them.
const LONGEST: usize = 64;

/// The name most like `word`, if one is similar enough: it differs only in upper and lower case,
/// underscores and hyphens, or in at most a third of its letters. Two letters that have changed
/// places count as one difference. If there are several, the first. Never `word` itself.
///
/// ```
/// use penstock_core::suggest::nearest;
///
/// assert_eq!(nearest("strret", ["name", "street", "zip"]), Some("street"));
/// assert_eq!(nearest("zipCode", ["name", "zip_code"]), Some("zip_code"));
/// assert_eq!(nearest("colour", ["name", "street", "zip"]), None);
/// ```
#[must_use]
pub fn nearest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(word)?;
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let Some(letters) = folded(name).filter(|_| name != word) else { continue };
        let least = letters.len().abs_diff(wanted.len());
        let most = letters.len().max(wanted.len()) / 3;
        let most = best.map_or(most, |(found, _)| most.min(found.saturating_sub(1)));
        if least > most || best.is_some_and(|(found, _)| found == 0) {
            continue;
        }
        let distance = distance(&wanted, &letters);
        if distance <= most {
            best = Some((distance, name));
        }
    }
    best.map(|(_, name)| name)
}

/// The letters that count, or nothing if there are none or too many.
fn folded(name: &str) -> Option<Vec<char>> {
    // No character has more than four bytes.
    if name.len() > 4 * LONGEST {
        return None;
    }
    let counts = name.chars().filter(|letter| !matches!(letter, '_' | '-'));
    let letters: Vec<char> = counts.flat_map(char::to_lowercase).collect();
    (1..=LONGEST).contains(&letters.len()).then_some(letters)
}

/// The number of letters to insert, delete, replace or swap with their neighbour to turn one word
/// into the other; letters that were swapped are not changed again.
fn distance(a: &[char], b: &[char]) -> usize {
    // Three rows of the table of distances between beginnings of both.
    let mut before: Vec<usize> = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = Vec::with_capacity(b.len() + 1);
        row.push(i);
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut least = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use proptest::test_runner::RngSeed;

    /// The distance by its definition.
    fn naive(a: &[char], b: &[char]) -> usize {
        let ([rest_a @ .., last_a], [rest_b @ .., last_b]) = (a, b) else {
            return a.len() + b.len();
        };
        let replaced = naive(rest_a, rest_b) + usize::from(last_a != last_b);
        let least = replaced.min(naive(rest_a, b) + 1).min(naive(a, rest_b) + 1);
        match (rest_a, rest_b) {
            ([front_a @ .., second_a], [front_b @ .., second_b])
                if second_a == last_b && second_b == last_a =>
            {
                least.min(naive(front_a, front_b) + 1)
            }
            _ => least,
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig {
            cases: 300,
            rng_seed: RngSeed::Fixed(1),
            failure_persistence: None,
            ..ProptestConfig::default()
        })]

        #[test]
        fn the_distance_is_that_of_its_definition(a in "[abc]{0,6}", b in "[abc]{0,6}") {
            let [a, b] = [a, b].map(|word| word.chars().collect::<Vec<_>>());
            prop_assert_eq!(distance(&a, &b), naive(&a, &b));
            prop_assert_eq!(distance(&a, &b), distance(&b, &a));
        }

        /// The result is as near as any other name, and the first such.
        #[test]
        fn the_nearest_is_found(
            word in "[abAB_]{0,7}", names in prop::collection::vec("[abAB_]{0,7}", 0..6),
        ) {
            let mut best: Option<(usize, &String)> = None;
            for name in names.iter().filter(|name| **name != word) {
                let (Some(a), Some(b)) = (folded(&word), folded(name)) else { continue };
                let far = naive(&a, &b);
                if far <= a.len().max(b.len()) / 3 && best.is_none_or(|(least, _)| far < least) {
                    best = Some((far, name));
                }
            }
            let found = nearest(&word, names.iter().map(String::as_str));
            prop_assert_eq!(found, best.map(|(_, name)| name.as_str()));
        }

        /// No name that a document may hold takes too long.
        #[test]
        fn any_words(word in "\\PC{0,300}", name in "\\PC{0,300}") {
            let found = nearest(&word, [name.as_str()]);
            prop_assert!(found.is_none() || word != name);
        }
    }

    #[test]
    fn words() {
        let names = ["id", "name", "first_name", "street", "lat", "lon"];
        let of = |word| nearest(word, names);
        assert_eq!(of("nmae"), Some("name"));
        assert_eq!(of("NAME"), Some("name"));
        assert_eq!(of("firstName"), Some("first_name"));
        assert_eq!(of("first-name"), Some("first_name"));
        assert_eq!(of("ID"), Some("id"));
        assert_eq!(of("lan"), Some("lat"));
        // If one letter of two differs, it is another word, and so is a name of twice the length.
        assert_eq!(of("is"), None);
        assert_eq!(of("latitude"), None);
        // The name is known already, so it is not the problem.
        assert_eq!(of("name"), None);
        assert_eq!(of(""), None);
        assert_eq!(nearest("_", ["-"]), None);
        assert_eq!(nearest(&"a".repeat(65), [&*"a".repeat(64)]), None);
    }
}
