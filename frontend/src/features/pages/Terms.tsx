import { Page } from '@/ui/Page';

export default function Terms() {
  return <Page title="Terms">{null}</Page>;
}
