import { Page } from '@/ui/Page';

export default function Collaboration() {
  return <Page title="Collaboration">{null}</Page>;
}
