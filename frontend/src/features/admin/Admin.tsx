import { Page } from '@/ui/Page';

export default function Admin() {
  return <Page title="Administration">{null}</Page>;
}
