import { Page } from '@/ui/Page';

export default function ManageMembers() {
  return <Page title="Manage Group Members">{null}</Page>;
}
