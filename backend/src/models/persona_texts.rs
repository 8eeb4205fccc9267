//! The texts of personas in SQL.

use diesel::dsl;
use diesel::expression::SqlLiteral;
use diesel::sql_types::{Nullable, Text};
use simulation::parameters::PersonaVariant;

/// The text as an SQL expression over the columns of `personas`. Null: the persona has no such text.
pub fn sql(variant: PersonaVariant) -> &'static str {
    match variant {
        PersonaVariant::Summary => "personas.summary",
        PersonaVariant::Full => "personas.full_text",
        // Only for personas with held-out answers: any other full text may contain all waves.
        PersonaVariant::Waves1To3 => {
            "(CASE WHEN EXISTS (SELECT FROM held_out_questions AS held_out WHERE held_out.set_id = personas.set_id)
                  THEN personas.full_text END)"
        }
        // The dataset's demographics; for other personas all attributes.
        PersonaVariant::Demographics => {
            "(SELECT string_agg(label || ': ' || value, chr(10) ORDER BY label COLLATE \"C\")
              FROM jsonb_each_text(personas.attributes) AS attribute (label, value)
              WHERE label IN ('Geographic region', 'Gender', 'Age', 'Education level', 'Race', 'Citizen of the US',
                      'Marital status', 'Religion', 'Religious attendance', 'Political affiliation', 'Income',
                      'Political views', 'Household size', 'Employment status')
                  OR NOT jsonb_exists_any(personas.attributes, ARRAY['Geographic region', 'Gender', 'Age',
                      'Education level', 'Race', 'Citizen of the US', 'Marital status', 'Religion',
                      'Religious attendance', 'Political affiliation', 'Income', 'Political views', 'Household size',
                      'Employment status']))"
        }
        PersonaVariant::Empty => "'An adult living in the United States.'",
    }
}

/// The text as an expression of the query builder.
pub fn column(variant: PersonaVariant) -> SqlLiteral<Nullable<Text>> {
    dsl::sql(sql(variant))
}
