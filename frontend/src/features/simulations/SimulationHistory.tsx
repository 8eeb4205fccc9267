import { Page } from '@/ui/Page';

export default function SimulationHistory() {
  return <Page title="Simulation History">{null}</Page>;
}
