import { Page } from '@/ui/Page';

export default function About() {
  return <Page title="About">{null}</Page>;
}
