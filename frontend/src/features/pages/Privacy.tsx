import { Page } from '@/ui/Page';

export default function Privacy() {
  return <Page title="Privacy">{null}</Page>;
}
