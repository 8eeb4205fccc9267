import { useState } from 'react';
import { Button, Dropdown, Radio } from 'antd';
import type { FlowNode } from '@/api/design';
import { Dialog } from '@/ui/Dialog';
import { MoreIcon } from '@/ui/icons';
import { useFlow } from './context';
import { isBlock, isGroup, titleOf } from './nodes';
import { insert, move, nudge, put, remove, splitPlace, targets } from './tree';

/** The menu of a node, which also moves it without dragging. */
export function NodeMenu({
  node,
  at,
  onArms,
}: {
  node: FlowNode;
  at: string;
  onArms: (about: { block: string }) => void;
}) {
  const { design, change, focus } = useFlow();
  const [moving, setMoving] = useState(false);
  const title = titleOf(node);
  const [up, down] = [nudge(design, at, -1), nudge(design, at, 1)];
  const { list, index } = splitPlace(at);
  const go = (moved: { design: typeof design; at: string } | null) => {
    if (moved === null) return;
    change(moved.design);
    focus(moved.at);
  };
  const act: Record<string, () => void> = {
    up: () => go(up),
    down: () => go(down),
    move: () => setMoving(true),
    arms: () => onArms({ block: at }),
    group: () => go({ design: put(design, at, [node]), at }),
    ungroup: () => {
      if (isGroup(node)) go({ design: insert(remove(design, at), list, index, ...node), at });
    },
    remove: () => go({ design: remove(design, at), at: `${list}/${Math.max(0, index - 1)}` }),
  };
  return (
    <>
      <Dropdown
        trigger={['click']}
        autoFocus
        menu={{
          onClick: ({ key }) => act[key]?.(),
          items: [
            { key: 'up', label: 'Move up', disabled: up === null },
            { key: 'down', label: 'Move down', disabled: down === null },
            { key: 'move', label: 'Move to…', disabled: targets(design, at).length === 0 },
            ...(isBlock(node) ? [{ key: 'arms', label: 'Make arms of it…' }] : []),
            isGroup(node)
              ? { key: 'ungroup', label: 'Dissolve the group' }
              : { key: 'group', label: 'Put into a group' },
            { key: 'remove', label: 'Remove', danger: true },
          ],
        }}
      >
        <Button
          type="text"
          size="small"
          shape="circle"
          icon={<MoreIcon />}
          aria-label={`More for ${title}`}
        />
      </Dropdown>
      {moving && <MoveTo title={title} at={at} onMove={go} onClose={() => setMoving(false)} />}
    </>
  );
}

/** The dialog that moves a node to the end of any list that it is not in. */
function MoveTo({
  title,
  at,
  onMove,
  onClose,
}: {
  title: string;
  at: string;
  onMove: (moved: ReturnType<typeof move>) => void;
  onClose: () => void;
}) {
  const { design } = useFlow();
  const lists = targets(design, at);
  const [chosen, setChosen] = useState(lists[0]?.list);
  const target = lists.find(({ list }) => list === chosen);
  return (
    <Dialog
      title={`Move ${title}`}
      size="sm"
      onClose={onClose}
      action={{
        text: 'Move',
        disabled: target === undefined,
        onClick: () => {
          if (target === undefined) return;
          onClose();
          onMove(move(design, at, target.list, target.length));
        },
      }}
    >
      <p className="muted">It goes to the end of:</p>
      <Radio.Group
        aria-label="Where to"
        className="flow-targets"
        value={chosen}
        onChange={(event) => setChosen(event.target.value as string)}
        options={lists.map(({ list, label }) => ({ value: list, label }))}
      />
    </Dialog>
  );
}
