//! A strict reader of XML that finds what is not well-formed: elements, attributes and text; no other markup.

#[derive(Debug, Default)]
pub struct Element {
    pub name: String,
    pub attributes: Vec<(String, String)>,
    pub text: String,
    pub children: Vec<Self>,
}

impl Element {
    /// This element and all below it, in document order.
    pub fn all(&self) -> Vec<&Self> {
        [self].into_iter().chain(self.children.iter().flat_map(Self::all)).collect()
    }

    pub fn named<'a>(&'a self, name: &str) -> Vec<&'a Self> {
        self.all().into_iter().filter(|element| element.name == name).collect()
    }

    pub fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }
}

/// The root of the document. Panics if it is not well-formed.
pub fn parse(text: &str) -> Element {
    let mut rest = text.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    // The first one holds the root.
    let mut open = vec![Element::default()];
    while let Some((before, after)) = rest.split_once('<') {
        let words = unescaped(before);
        let last = open.last_mut().expect("an element");
        assert!(!last.name.is_empty() || words.trim().is_empty(), "text outside of the root: {words:?}");
        last.text.push_str(&words);
        let (tag, after) = after.split_once('>').expect("a tag ends");
        rest = after;
        if let Some(name) = tag.strip_prefix('/') {
            let closed = open.pop().expect("an element");
            assert_eq!(closed.name, name, "another element is open");
            open.last_mut().expect("it is in another").children.push(closed);
            continue;
        }
        let is_empty = tag.ends_with('/');
        let element = start(tag.trim_end_matches('/'));
        match is_empty {
            true => open.last_mut().expect("an element").children.push(element),
            false => open.push(element),
        }
    }
    assert!(rest.trim().is_empty(), "text after the root: {rest:?}");
    let [document] = <[Element; 1]>::try_from(open).expect("all elements are closed");
    let [root] = <[Element; 1]>::try_from(document.children).expect("one root");
    root
}

fn start(tag: &str) -> Element {
    let (name, mut rest) = tag.split_once(' ').unwrap_or((tag, ""));
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|each| each.is_ascii_alphanumeric() || "-:_".contains(each));
    assert!(is_name(name), "{name:?} is no name");
    let mut attributes: Vec<(String, String)> = Vec::new();
    while !rest.is_empty() {
        let (name, after) = rest.split_once("=\"").expect("an attribute");
        let (value, after) = after.split_once('"').expect("its value ends");
        assert!(is_name(name) && attributes.iter().all(|(found, _)| found != name), "{name:?} in {tag:?}");
        attributes.push((name.to_owned(), unescaped(value)));
        rest = after.trim_start();
    }
    Element { name: name.to_owned(), attributes, ..Element::default() }
}

fn unescaped(text: &str) -> String {
    let legal = |each: char| each >= ' ' || "\t\n\r".contains(each);
    assert!(text.chars().all(legal) && !text.contains('>'), "{text:?}");
    let (first, entities) = text.split_once('&').map_or((text, None), |(first, rest)| (first, Some(rest)));
    let mut out = first.to_owned();
    for entity in entities.into_iter().flat_map(|rest| rest.split('&')) {
        let (name, after) = entity.split_once(';').expect("a reference ends");
        out.push(match name {
            "amp" => '&',
            "lt" => '<',
            "gt" => '>',
            "quot" => '"',
            number => {
                let code = number.strip_prefix('#').and_then(|number| number.parse().ok());
                code.and_then(char::from_u32).expect("a character")
            }
        });
        out.push_str(after);
    }
    out
}

#[test]
fn what_is_not_well_formed_is_found() {
    let head = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n";
    let root = parse(&format!("{head}<a b=\"&lt;&#10;\">x<c/>&amp;</a>\n"));
    assert_eq!((root.attribute("b"), &*root.text, root.children.len()), (Some("<\n"), "x&", 1));
    for wrong in
        ["<a>", "<a></b>", "<a/><b/>", "<a>&x</a>", "<a>&x;</a>", "<a b=\"1\" b=\"2\"/>", "<a>\u{1}</a>", "<a b=1/>"]
    {
        assert!(std::panic::catch_unwind(|| parse(&format!("{head}{wrong}"))).is_err(), "{wrong}");
    }
}
