import { Page } from '@/ui/Page';

export default function Responses() {
  return <Page title="Simulation Responses">{null}</Page>;
}
