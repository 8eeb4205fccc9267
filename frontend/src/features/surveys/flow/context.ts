import { createContext, useContext } from 'react';
import type { Design, Finding } from '@/api/design';
import type { Question } from '@/api/types';
import type { Renaming } from '../useRenaming';
import type { Names } from './names';

/** The context of every part of the flow's editor. */
export interface Flow {
  design: Design;
  questions: readonly Question[];
  byName: ReadonlyMap<string, Question>;
  names: Names;
  readOnly: boolean;
  /** How many twins the arms are counted for. */
  twins: number;
  /** The findings, by the place of their node. */
  findings: ReadonlyMap<string, Finding[]>;
  /** Changes with the same key, soon after each other, are one step of undo. */
  change: (design: Design, key?: string) => void;
  /** Resolves to why something cannot be called so; to `null` where it is, and what reads its name follows. */
  rename: Renaming['rename'];
  nameField: Renaming['nameField'];
  /** Gives the focus to a node, or to another element by its id, once the page is drawn anew. */
  focus: (id: string) => void;
  openQuestion: (name: string) => void;
}

export const FlowContext = createContext<Flow | null>(null);

export function useFlow(): Flow {
  const flow = useContext(FlowContext);
  if (flow === null) throw new Error('useFlow outside of the flow');
  return flow;
}

/** The id of a node's handle. */
export const handleId = (at: string) => `node${at}`;
