import { Page } from '@/ui/Page';

export default function Dashboard() {
  return <Page title="Dashboard">{null}</Page>;
}
