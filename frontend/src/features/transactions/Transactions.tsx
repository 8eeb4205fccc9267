import { Page } from '@/ui/Page';

export default function Transactions() {
  return <Page title="Transactions">{null}</Page>;
}
