import { Page } from '@/ui/Page';

export default function GetStarted() {
  return <Page title="GetStarted">{null}</Page>;
}
