import { Tag } from 'antd';
import { stateWords } from '@/runs/plan/words';

/** Whether a plan is a draft, or since when it is frozen. */
export const PlanState = ({ frozenAt }: { frozenAt: string | null | undefined }) => (
  <Tag color={frozenAt == null ? 'default' : 'processing'}>{stateWords(frozenAt)}</Tag>
);
