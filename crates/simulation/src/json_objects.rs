//! Fields of JSON that serde reads too freely by itself: objects, for which it also takes arrays, and nulls.

use std::fmt::Formatter;
use std::marker::PhantomData;

use serde::de::value::MapAccessDeserializer;
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};

/// A field whose null differs from a field that is left out: null is `Some(None)`. Takes `#[serde(default)]` beside it.
pub fn given<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(field).map(Some)
}

/// A field that is an object.
pub fn object<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<T, D::Error> {
    struct Fields<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for Fields<T> {
        type Value = T;

        fn expecting(&self, wanted: &mut Formatter<'_>) -> std::fmt::Result {
            wanted.write_str("an object")
        }

        fn visit_map<A: MapAccess<'de>>(self, fields: A) -> Result<T, A::Error> {
            T::deserialize(MapAccessDeserializer::new(fields))
        }
    }

    field.deserialize_map(Fields(PhantomData))
}

/// Deserialises a field that is a list of objects.
pub fn objects<'de, D: Deserializer<'de>, T: Deserialize<'de>>(field: D) -> Result<Vec<T>, D::Error> {
    #[derive(Deserialize)]
    #[serde(bound(deserialize = "T: Deserialize<'de>"))]
    struct One<T>(#[serde(deserialize_with = "object")] T);

    let list: Vec<One<T>> = Vec::deserialize(field)?;
    Ok(list.into_iter().map(|One(each)| each).collect())
}
