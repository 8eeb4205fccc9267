import { Page } from '@/ui/Page';

export default function Landing() {
  return <Page title="Landing">{null}</Page>;
}
