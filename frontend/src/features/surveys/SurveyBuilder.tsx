import { Page } from '@/ui/Page';

export default function SurveyBuilder() {
  return <Page title="My Surveys">{null}</Page>;
}
