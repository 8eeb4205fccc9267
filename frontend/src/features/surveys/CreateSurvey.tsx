import { useId, useState } from 'react';
import { Alert, App, Form, Input, Radio, Select } from 'antd';
import { api, messageOf } from '@/api/client';
import { takesSurveys } from '@/api/groups';
import { refresh, useAll } from '@/api/hooks';
import type { Visibility } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import { surveyOf } from './plainText';
import { invalid } from './QuestionFields';
import { aboutTemplate, TemplateFields, templateOf, type TemplateChoice } from './StudyTemplates';
import { TextSurveyFields, useTextSurvey } from './TextSurvey';

interface NewSurvey {
  title?: string;
  description?: string;
  groupId?: number;
  visibility: Visibility;
}

const PROBLEM = 'survey-problem';

/** The contents that a new survey begins with. */
type Beginning = 'nothing' | 'template' | 'text';

export function CreateSurvey({ template, onClose }: { template?: string | undefined; onClose: () => void }) {
  const { message } = App.useApp();
  const id = useId();
  const [form] = Form.useForm<NewSurvey>();
  const visibility = Form.useWatch('visibility', form);
  const groups = useAll('/api/groups/my', {}).data?.filter(takesSurveys);
  const [beginning, setBeginning] = useState<Beginning>(template === undefined ? 'nothing' : 'template');
  const [choice, setChoice] = useState<TemplateChoice>({ key: template ?? 'framing', version: 0 });
  const [text, setText] = useState('');
  const asText = useTextSurvey(text);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const status = error === null ? {} : invalid(PROBLEM);
  const study = templateOf(choice);

  /** The title that comes with what the survey begins with, as long as nobody wrote another. */
  const suggest = (title: string | null, before: string | null) => {
    const written = (form.getFieldValue('title') as string | undefined) ?? '';
    if (title !== null && (written.trim() === '' || written === before)) form.setFieldsValue({ title });
  };
  const begin = (next: Beginning) => {
    setBeginning(next);
    suggest(next === 'template' ? study.title : '', study.title);
  };
  const create = async ({ title = '', description = '', groupId, visibility }: NewSurvey) => {
    if (title.trim() === '' || groupId === undefined) {
      setError('Title and group are required');
      return;
    }
    setSaving(true);
    setError(null);
    try {
      const words = { title: title.trim(), description: description.trim() };
      if (beginning === 'nothing') {
        await api.post('/api/surveys', { body: { ...words, groupId, visibility } });
      } else {
        const body =
          beginning === 'text'
            ? { ...words, questions: asText.questions }
            : {
                title: words.title,
                description: words.description || aboutTemplate(study.template),
                questions: study.questions,
              };
        const made = await api.post('/api/surveys/import', { params: { query: { groupId } }, body });
        const path = { surveyId: made.id };
        if (visibility === 'PUBLIC') {
          await api.patch('/api/surveys/{surveyId}/toggle-visibility', { params: { path } });
        }
      }
      void message.success('Survey Created!');
      await refresh('/api/surveys');
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to create survey'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Dialog
      title="Create Survey"
      size={beginning === 'text' ? 'xl' : 'md'}
      busy={saving}
      onClose={onClose}
      action={{
        text: 'Create Survey',
        busyText: 'Creating...',
        disabled: beginning === 'text' && (asText.questions.length === 0 || asText.errors.length > 0),
        form: id,
      }}
    >
      <Form<NewSurvey>
        id={id}
        form={form}
        layout="vertical"
        initialValues={{ visibility: 'PRIVATE', ...(template !== undefined && { title: study.title }) }}
        onFinish={(fields) => void create(fields)}
      >
        {error !== null && (
          <Form.Item>
            <Alert type="error" id={PROBLEM} title={error} />
          </Form.Item>
        )}
        <Form.Item name="title" label="Title">
          <Input maxLength={500} {...status} />
        </Form.Item>
        <Form.Item name="description" label="Description">
          <Input.TextArea rows={beginning === 'nothing' ? 3 : 2} />
        </Form.Item>
        <Form.Item
          name="groupId"
          label="Group"
          extra={
            groups?.length === 0 &&
            'Surveys belong to an open group with you as an active member: none of your groups is one.'
          }
        >
          <Select
            {...status}
            placeholder="Select a group..."
            options={(groups ?? []).map(({ id, groupName }) => ({ value: id, label: groupName }))}
          />
        </Form.Item>
        <Form.Item
          name="visibility"
          label="Visibility"
          extra={
            visibility === 'PUBLIC'
              ? 'Public surveys are visible to all members of your group, private ones only to you and to its owner.'
              : 'Private surveys are visible only to you and to the owner of your group.'
          }
        >
          <Select
            options={[
              { value: 'PRIVATE', label: 'Private (Default)' },
              { value: 'PUBLIC', label: 'Public' },
            ]}
          />
        </Form.Item>
        <Form.Item label="Begin with" htmlFor="beginning">
          <Radio.Group
            id="beginning"
            aria-label="Begin with"
            value={beginning}
            onChange={(event) => begin(event.target.value as Beginning)}
            options={[
              { value: 'nothing', label: 'No questions' },
              { value: 'template', label: 'A classic study' },
              { value: 'text', label: 'Plain text' },
            ]}
          />
        </Form.Item>
        {beginning === 'template' && (
          <TemplateFields
            choice={choice}
            onChange={(next) => {
              setChoice(next);
              suggest(templateOf(next).title, study.title);
            }}
          />
        )}
        {beginning === 'text' && (
          <TextSurveyFields
            text={text}
            survey={asText}
            onChange={(next) => {
              setText(next);
              suggest(surveyOf(next).title, surveyOf(text).title);
            }}
          />
        )}
      </Form>
    </Dialog>
  );
}
