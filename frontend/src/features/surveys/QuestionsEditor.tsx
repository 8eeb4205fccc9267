import { Page } from '@/ui/Page';

export default function QuestionsEditor() {
  return <Page title="Survey Questions">{null}</Page>;
}
