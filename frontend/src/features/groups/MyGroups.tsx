import { Page } from '@/ui/Page';

export default function MyGroups() {
  return <Page title="My Groups">{null}</Page>;
}
