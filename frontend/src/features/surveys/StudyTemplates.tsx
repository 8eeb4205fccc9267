import { Button, Form, Select } from 'antd';
import { templates, type Template } from './templates';
import './TextSurvey.css';

/** A study and one of its versions. */
export interface TemplateChoice {
  key: string;
  version: number;
}

export const templateOf = ({ key, version }: TemplateChoice) => {
  const template = templates.find((one) => one.key === key) ?? templates[0];
  const chosen = template?.versions[version] ?? template?.versions[0];
  if (template === undefined || chosen === undefined) throw new Error('there are no templates');
  const title =
    template.versions.length > 1 ? `${template.title} (${chosen.name.toLowerCase()})` : template.title;
  return { template, title, questions: chosen.questions };
};

/** The description of a survey that begins with a study. */
export const aboutTemplate = ({ about, citation, doi }: Template) =>
  `${about} After ${citation} https://doi.org/${doi}`;

/** Chooses a classic study, and tells what it found. */
export function TemplateFields({
  choice,
  onChange,
}: {
  choice: TemplateChoice;
  onChange: (choice: TemplateChoice) => void;
}) {
  const { template } = templateOf(choice);
  return (
    <>
      <Form.Item label="Study" htmlFor="template">
        <Select
          id="template"
          value={choice.key}
          options={templates.map(({ key, title }) => ({ value: key, label: title }))}
          onChange={(key) => onChange({ key, version: 0 })}
        />
      </Form.Item>
      {template.versions.length > 1 && (
        <Form.Item
          label="Version"
          htmlFor="template-version"
          extra="People of the study saw one version. Make a survey of each, ask both with the same twins, and compare."
        >
          <Select
            id="template-version"
            value={choice.version}
            options={template.versions.map(({ name }, value) => ({ value, label: name }))}
            onChange={(version) => onChange({ ...choice, version })}
          />
        </Form.Item>
      )}
      <div className="stack gap-2 inset small">
        <p>{template.about}</p>
        <p>{template.story}</p>
        <p className="muted">
          {template.citation}{' '}
          <a href={`https://doi.org/${template.doi}`} target="_blank" rel="noreferrer">
            doi:{template.doi}
          </a>
        </p>
      </div>
    </>
  );
}

/** All studies as cards, where there is no survey yet. */
export function TemplateGallery({ onChoose }: { onChoose: (key: string) => void }) {
  return (
    <ul className="template-gallery stack gap-3 list">
      {templates.map(({ key, title, about, citation }) => (
        <li key={key}>
          <div className="template-card stack gap-2 card">
            <h3>{title}</h3>
            <p className="muted small">
              {about} <span className="muted">{citation.replace(/^(.*?\(\d{4}\)).*$/s, '$1')}</span>
            </p>
            <Button size="small" aria-label={`Use ${title}`} onClick={() => onChoose(key)}>
              Use this study
            </Button>
          </div>
        </li>
      ))}
    </ul>
  );
}
