import { Page } from '@/ui/Page';

export default function Groups() {
  return <Page title="Research Groups">{null}</Page>;
}
