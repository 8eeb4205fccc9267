import { render, screen, waitFor } from '@testing-library/react';
import { App } from 'antd';
import { MemoryRouter } from 'react-router';
import { SWRConfig } from 'swr';
import { expect, it, vi } from 'vitest';
import type { Answer } from '@/api/client';
import { BundleDialog } from '@/runs/BundleDialog';
import { group, run, survey } from '@/testing/fixtures';
import { newUser, signInAs, Unstyled } from '@/testing/render';
import { mockServer } from '@/testing/server';

const OWN = survey.userId;

type Facts = Answer<'/api/simulations/{simulationId}', 'get'>;

/** The dialog of a run by `startedBy` of a survey by `userId`, with so many people whose answers are kept. The user is OWN. */
function open({
  people,
  mayBePassedOn,
  userId,
  startedBy = OWN,
  ownsGroup = false,
}: {
  people: number;
  mayBePassedOn: boolean;
  userId: number;
  startedBy?: number;
  ownsGroup?: boolean;
}) {
  signInAs('user');
  const server = mockServer();
  server.get(
    '/api/simulations/{simulationId}',
    () =>
      ({
        ...run,
        userId: startedBy,
        textsMayBePassedOn: mayBePassedOn,
        personasSource: 'panel.csv',
      }) as unknown as Facts,
  );
  server.get('/api/groups/my', () => [{ ...group, isOwner: ownsGroup }]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, userId, questions: [] }));
  server.get('/api/surveys/{surveyId}/human-samples', () =>
    people === 0
      ? []
      : [
          {
            sampleId: 'may',
            surveyId: 3,
            name: 'Panel',
            people,
            createdAt: '2026-05-01T10:00:00Z',
            updatedAt: '2026-05-01T10:00:00Z',
            createdBy: null,
            matchedQuestions: [],
            dropped: [],
            isOwner: true,
          },
        ],
  );
  const get = vi.fn(() => Promise.resolve(new Blob(['zip'])));
  render(
    <SWRConfig value={{ provider: () => new Map() }}>
      <MemoryRouter>
        <Unstyled>
          <App>
            <BundleDialog
              of="run"
              surveyId={3}
              simulationId={run.simulationId}
              fileName="bundle.zip"
              get={get}
              onClose={() => undefined}
            />
          </App>
        </Unstyled>
      </MemoryRouter>
    </SWRConfig>,
  );
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(() => undefined);
  return { user: newUser(), get };
}

it('has neither prompts nor people unless they are asked for', async () => {
  const { user, get } = open({ people: 12, mayBePassedOn: true, userId: OWN });
  expect(await screen.findByRole('checkbox', { name: /exact prompts/ })).not.toBeChecked();
  expect(await screen.findByRole('checkbox', { name: /12 people/ })).not.toBeChecked();
  await user.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() => {
    expect(get).toHaveBeenCalledWith({});
  });
});

it('says at the tick what it means to pass on the rows of people', async () => {
  const { user, get } = open({ people: 12, mayBePassedOn: true, userId: OWN });
  const people = await screen.findByRole('checkbox', { name: /12 people/ });
  expect(screen.queryByText('Only if these people agreed to it')).toBeNull();
  await user.click(people);
  expect(screen.getByText('Only if these people agreed to it')).toBeVisible();
  await user.click(screen.getByRole('checkbox', { name: /exact prompts/ }));
  await user.click(screen.getByRole('button', { name: 'Download' }));
  await waitFor(() => {
    expect(get).toHaveBeenCalledWith({ withPrompts: true, withPeople: true });
  });
});

it('says why there are no prompts where the texts are not known to be free', async () => {
  open({ people: 0, mayBePassedOn: false, userId: OWN });
  expect(await screen.findByText(/whether those of “panel.csv” may be passed on/)).toBeVisible();
  expect(screen.queryByRole('checkbox')).toBeNull();
});

it('offers the prompts to who controls the run, and says to others whose they are', async () => {
  open({ people: 12, mayBePassedOn: true, userId: OWN, startedBy: OWN + 1 });
  expect(
    await screen.findByText(/they are for who started the run and for the owner of its group/),
  ).toBeVisible();
  expect(await screen.findByRole('checkbox', { name: /12 people/ })).toBeVisible();
  expect(screen.queryByRole('checkbox', { name: /exact prompts/ })).toBeNull();
});

it('offers the prompts to the owner of the run’s group', async () => {
  open({ people: 0, mayBePassedOn: true, userId: OWN + 1, startedBy: OWN + 1, ownsGroup: true });
  expect(await screen.findByRole('checkbox', { name: /exact prompts/ })).toBeVisible();
});

it('offers the rows to nobody but the author of the survey', async () => {
  open({ people: 12, mayBePassedOn: true, userId: OWN + 1 });
  expect(await screen.findByRole('checkbox', { name: /exact prompts/ })).toBeVisible();
  expect(screen.queryByRole('checkbox', { name: /people/ })).toBeNull();
});
