//! The grammar of formulas.

/// A function of several parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Call {
    Mean,
    Sum,
    Min,
    Max,
    First,
    Count,
}

impl Call {
    pub fn name(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Sum => "sum",
            Self::Min => "min",
            Self::Max => "max",
            Self::First => "first",
            Self::Count => "count",
        }
    }
}

/// A part of a formula with its text.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tree {
    pub text: String,
    pub parsed: Parsed,
}

#[derive(Clone, Debug, PartialEq)]
pub(super) enum Parsed {
    Number(f64),
    Name(String),
    Minus(Box<Tree>),
    Plus(Box<Tree>, Box<Tree>),
    Less(Box<Tree>, Box<Tree>),
    Times(Box<Tree>, Box<Tree>),
    Over(Box<Tree>, Box<Tree>),
    Of(Call, Vec<Tree>),
    Reverse(Vec<Tree>),
    Is(Vec<Tree>),
}

/// Maximum length of a formula in characters, and maximum depth of its parts.
const MAX_LENGTH: usize = 4_000;
const MAX_DEPTH: usize = 40;

/// Parses a formula. Fails with a sentence that names the place.
pub(super) fn parse(text: &str) -> Result<Tree, String> {
    if text.chars().count() > MAX_LENGTH {
        return Err(format!("a formula has at most {MAX_LENGTH} characters"));
    }
    let mut parser = Parser { text, at: 0, depth: 0 };
    let tree = parser.sum()?;
    parser.skip_spaces();
    match parser.peek() {
        None => Ok(tree),
        Some(letter) => Err(parser.unexpected(letter)),
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    depth: usize,
}

/// Whether a letter is part of a name without quotes.
fn is_name(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, '_' | '.' | '#')
}

impl Parser<'_> {
    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn skip_spaces(&mut self) {
        while self.peek().is_some_and(char::is_whitespace) {
            self.at += self.peek().map_or(0, char::len_utf8);
        }
    }

    /// Takes this letter after spaces, if it is next.
    fn take(&mut self, letter: char) -> bool {
        self.skip_spaces();
        let is_next = self.peek() == Some(letter);
        self.at += if is_next { letter.len_utf8() } else { 0 };
        is_next
    }

    fn unexpected(&self, letter: char) -> String {
        format!("{letter} is not expected at character {}", self.text[..self.at].chars().count() + 1)
    }

    fn tree(&self, from: usize, parsed: Parsed) -> Tree {
        Tree { text: self.text[from..self.at].trim().to_owned(), parsed }
    }

    fn sum(&mut self) -> Result<Tree, String> {
        self.skip_spaces();
        let from = self.at;
        let mut left = self.product()?;
        loop {
            let parsed: fn(Box<Tree>, Box<Tree>) -> Parsed = if self.take('+') {
                Parsed::Plus
            } else if self.take('-') || self.take('−') {
                Parsed::Less
            } else {
                return Ok(left);
            };
            let right = self.product()?;
            left = self.tree(from, parsed(Box::new(left), Box::new(right)));
        }
    }

    fn product(&mut self) -> Result<Tree, String> {
        self.skip_spaces();
        let from = self.at;
        let mut left = self.factor()?;
        loop {
            let parsed: fn(Box<Tree>, Box<Tree>) -> Parsed = if self.take('*') {
                Parsed::Times
            } else if self.take('/') {
                Parsed::Over
            } else {
                return Ok(left);
            };
            let right = self.factor()?;
            left = self.tree(from, parsed(Box::new(left), Box::new(right)));
        }
    }

    fn factor(&mut self) -> Result<Tree, String> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err("the formula's parts are nested too deeply".to_owned());
        }
        let found = self.own_factor();
        self.depth -= 1;
        found
    }

    fn own_factor(&mut self) -> Result<Tree, String> {
        self.skip_spaces();
        let from = self.at;
        if self.take('-') || self.take('−') {
            let inner = self.factor()?;
            return Ok(self.tree(from, Parsed::Minus(Box::new(inner))));
        }
        if self.take('(') {
            let inner = self.sum()?;
            self.expect(')')?;
            return Ok(Tree { text: self.text[from..self.at].to_owned(), ..inner });
        }
        match self.peek() {
            None => Err("the formula ends where a name or a number is expected".to_owned()),
            Some('"') => {
                let name = self.quoted()?;
                Ok(self.tree(from, Parsed::Name(name)))
            }
            Some(letter) if is_name(letter) => self.word(),
            Some(letter) => Err(self.unexpected(letter)),
        }
    }

    fn expect(&mut self, letter: char) -> Result<(), String> {
        if self.take(letter) {
            return Ok(());
        }
        Err(match self.peek() {
            None => format!("{letter} is missing at the end"),
            Some(found) => self.unexpected(found),
        })
    }

    /// A text in quotes; a quote in it is written twice.
    fn quoted(&mut self) -> Result<String, String> {
        self.at += 1;
        let mut text = String::new();
        loop {
            let Some(letter) = self.peek() else { return Err("a quote is not closed".to_owned()) };
            self.at += letter.len_utf8();
            if letter != '"' {
                text.push(letter);
            } else if self.peek() == Some('"') {
                self.at += 1;
                text.push('"');
            } else {
                return Ok(text);
            }
        }
    }

    /// A number, a name, or a function with its parts.
    fn word(&mut self) -> Result<Tree, String> {
        let from = self.at;
        while self.peek().is_some_and(is_name) {
            self.at += self.peek().map_or(0, char::len_utf8);
        }
        let word = &self.text[from..self.at];
        if word.starts_with(|letter: char| letter.is_ascii_digit() || letter == '.') {
            let number =
                word.parse().map_err(|_| format!("{word} is neither a number nor a name: put it in quotes"))?;
            return Ok(self.tree(from, Parsed::Number(number)));
        }
        let word = word.to_owned();
        if !self.take('(') {
            return Ok(Tree { text: word.clone(), parsed: Parsed::Name(word) });
        }
        let mut parts = Vec::new();
        if !self.take(')') {
            parts.push(self.sum()?);
            while self.take(',') {
                parts.push(self.sum()?);
            }
            self.expect(')')?;
        }
        let parsed = match word.as_str() {
            "mean" => Parsed::Of(Call::Mean, parts),
            "sum" => Parsed::Of(Call::Sum, parts),
            "min" => Parsed::Of(Call::Min, parts),
            "max" => Parsed::Of(Call::Max, parts),
            "first" => Parsed::Of(Call::First, parts),
            "count" => Parsed::Of(Call::Count, parts),
            "reverse" => Parsed::Reverse(parts),
            "is" => Parsed::Is(parts),
            _ => return Err(format!("there is no function {word}")),
        };
        Ok(self.tree(from, parsed))
    }
}
