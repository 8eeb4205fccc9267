import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import type { StudyPrice, StudyToStart } from '@/api/prices';
import { config, group, price, run, settings, survey } from '@/testing/fixtures';
import { choose, fill, shownDialog, signInAs, visit } from '@/testing/render';
import { mockServer, refusal } from '@/testing/server';

/** A price in money; in batches it is half as high. */
function money(batch: boolean): StudyPrice {
  const usd = (whole: number) => ({ amount: String(batch ? whole / 2 : whole), currency: 'USD' });
  const time = batch ? { lowSeconds: 0, highSeconds: 86_400, source: 'batch' as const } : null;
  const cost = { low: usd(0.16), expected: usd(0.17), high: usd(0.18) };
  return { ...price, estimate: { ...price.estimate, cost, time } };
}

const START = '/api/simulations/survey/3/start';

let server: ReturnType<typeof mockServer>;

beforeEach(() => {
  server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/my', () => [survey]);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/simulations', () => [run]);
  server.get('/api/personas/attributes', () => [
    {
      label: 'Gender',
      values: [
        { value: 'Female', count: 1200 },
        { value: 'Male', count: 800 },
      ],
    },
    { label: 'Region', values: [{ value: 'South', count: 700 }] },
  ]);
  server.get('/api/personas/count', ({ query }) => ({
    count: [2000, 60, 90][query.getAll('attributes[Gender]').length] ?? 0,
    synthetic: false,
  }));
  server.get('/api/personas/quotas', ({ query }) => {
    const isEqual = query.get('shares') === 'equal';
    return {
      attribute: query.get('attribute') ?? '',
      shares: isEqual ? ('equal' as const) : ('proportional' as const),
      quotas: [
        { value: 'Female', available: 1200, n: isEqual ? 50 : 60 },
        { value: 'Male', available: 800, n: isEqual ? 50 : 40 },
      ],
    };
  });
  // What is sent is looked at; the dialog stays.
  server.post('/api/simulations/survey/{surveyId}/start', () => refusal(409, 'Not now'));
  signInAs('user');
});

async function open(changed: Partial<typeof config> = {}) {
  server.get('/api/surveys/{surveyId}/simulation-config', () => ({ ...config, ...changed }));
  const { user } = visit('/survey-builder');
  await user.click(await screen.findByRole('button', { name: 'Start Simulation' }));
  const dialog = within(await shownDialog());
  await dialog.findByLabelText('Number of digital twins');
  const start = async (name = 'Start Simulation') => {
    await user.click(dialog.getByRole('button', { name }));
    expect(await dialog.findByText('Failed to start simulation: not now')).toBeVisible();
    return server.sent('post', START).at(-1) as Record<string, unknown>;
  };
  return { user, dialog, start };
}

describe('a run is started with', () => {
  it('everyone', async () => {
    const { user, dialog, start } = await open({ maxPersonas: 5000, availableCredits: 5000 });
    await user.click(dialog.getByLabelText('Everyone'));
    expect(dialog.queryByLabelText('Number of digital twins')).not.toBeInTheDocument();
    await user.type(dialog.getByLabelText('Seed'), '7');
    expect(await start()).toMatchObject({ personaCount: 2058, isRandomSelection: true, seed: 7 });
  });

  it('twins that a seed draws', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByRole('button', { name: 'What are digital twins?' }));
    expect(await screen.findByText(/answers as that person/)).toBeInTheDocument();
    await user.type(dialog.getByLabelText('Seed'), '42');
    expect(await start()).toMatchObject({ personaCount: 100, isRandomSelection: true, seed: 42 });
  });

  it('twins of an attribute, as many as there are', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('By attributes'));
    expect(await dialog.findByText('2,000 digital twins match')).toBeVisible();
    await user.click(dialog.getByLabelText('Attributes'));
    await user.click(await screen.findByTitle('Gender: Female'));
    expect(await dialog.findByText('60 digital twins match')).toBeVisible();
    expect(await start()).toMatchObject({ personaCount: 60, quotas: [{ n: 60, Gender: ['Female'] }] });
  });

  it('twins of any of several values of an attribute', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('By attributes'));
    await user.click(dialog.getByLabelText('Attributes'));
    await user.click(await screen.findByTitle('Gender: Female'));
    await user.click(await screen.findByTitle('Gender: Male'));
    expect(await dialog.findByText('90 digital twins match')).toBeVisible();
    expect(await start()).toMatchObject({
      personaCount: 90,
      quotas: [{ n: 90, Gender: ['Female', 'Male'] }],
    });
  });

  it('quotas of an attribute', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('Quotas'));
    await choose(user, 'Attribute', 'Gender');
    await waitFor(() => expect(dialog.getByLabelText('Female')).toHaveValue('60'));
    await user.click(dialog.getByLabelText('Equally many'));
    await waitFor(() => expect(dialog.getByLabelText('Female')).toHaveValue('50'));
    await user.clear(dialog.getByLabelText('Male'));
    await user.type(dialog.getByLabelText('Male'), '2');
    expect(dialog.getByLabelText('Number of digital twins')).toHaveValue('52');
    const body = await start();
    expect(body).toMatchObject({
      personaCount: 52,
      quotas: [
        { n: 50, Gender: 'Female' },
        { n: 2, Gender: 'Male' },
      ],
    });
    expect(body).not.toHaveProperty('selectedPersonaIds');
  });

  it('quotas that the twins cannot fill, which the server refuses', async () => {
    const { user, dialog } = await open();
    server.post('/api/simulations/survey/{surveyId}/start', () =>
      refusal(400, 'quotas[1]: 1000 twins with Gender Male are asked for, and 800 are there'),
    );
    await user.click(dialog.getByLabelText('Quotas'));
    await choose(user, 'Attribute', 'Gender');
    await dialog.findByLabelText('Female');
    await user.click(dialog.getByRole('button', { name: 'Start Simulation' }));
    expect(
      await dialog.findByText(
        'Failed to start simulation: 1000 twins with Gender Male are asked for, and 800 are there',
      ),
    ).toBeVisible();
  });

  it('a price before the start, and a cap in its currency', async () => {
    server.post('/api/surveys/{surveyId}/studies', ({ body }) => {
      const { model, batch } = (body as StudyToStart).run;
      return model === 'free' ? price : money(batch === true);
    });
    const { user, dialog, start } = await open({
      model: 'priced',
      models: ['priced', 'free'],
      prices: { priced: { currency: 'USD', prompt: 400_000, cached: 100_000, completion: 1_600_000 } },
    });
    expect((await dialog.findByText('Money, about')).nextElementSibling).toHaveTextContent(
      '$0.17 ($0.16 to $0.18)',
    );
    await user.click(dialog.getByText('Advanced'));
    await user.type(await dialog.findByLabelText('Stop paying at'), '2.5');
    await user.click(dialog.getByLabelText('Half price, within a day'));
    expect(await dialog.findByText('within a day')).toBeVisible();
    expect(dialog.getByText('Money, about').nextElementSibling).toHaveTextContent('$0.09 ($0.08 to $0.09)');
    expect(await start()).toMatchObject({ maxCost: 2.5, batch: true });
    // Another model may have another currency, or none.
    await choose(user, 'Model', 'free');
    expect(dialog.queryByLabelText('Stop paying at')).not.toBeInTheDocument();
    await waitFor(() => expect(dialog.queryByText('Money, about')).not.toBeInTheDocument());
    const body = await start();
    expect(body).toMatchObject({ model: 'free' });
    expect(body).not.toHaveProperty('maxCost');
  });

  it('ids and ranges, and says what it ignored', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('Manual selection'));
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeDisabled();
    await fill(user, dialog.getByLabelText('Digital twin ids'), '1-3, 77, abc, 99999');
    expect(dialog.getByText(/4 selected/)).toBeVisible();
    expect(dialog.getByText('Ignored: abc (not an id), 99999 (the last id is 2058)')).toBeVisible();
    expect(await start()).toMatchObject({ personaCount: 4, selectedPersonaIds: [1, 2, 3, 77] });
  });

  it('the twins of another run', async () => {
    server.get('/api/simulations/{simulationId}/personas', () =>
      [4, 8].map((id) => ({ personaId: id, personaPid: '', personaName: '', attributes: {} })),
    );
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('Same twins as a run'));
    await user.click(dialog.getByLabelText('Run'));
    await user.click(
      await screen.findByText(new RegExp(run.simulationId.slice(0, 8)), {
        selector: '.ant-select-item-option-content',
      }),
    );
    expect(await start()).toMatchObject({ personaCount: 2, selectedPersonaIds: [4, 8] });
  });

  it('ten twins of quotas first, which the server cuts', async () => {
    const { user, dialog, start } = await open();
    await user.click(dialog.getByLabelText('Quotas'));
    await choose(user, 'Attribute', 'Gender');
    await dialog.findByLabelText('Female');
    expect(await start('Pilot with 10 first')).toMatchObject({
      personaCount: 10,
      quotas: [
        { n: 60, Gender: 'Female' },
        { n: 40, Gender: 'Male' },
      ],
    });
  });

  it('ten twins first', async () => {
    const { dialog, start } = await open();
    expect(await start('Pilot with 10 first')).toMatchObject({ personaCount: 10, name: 'Pilot' });
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeEnabled();
  });
});

describe('credits that are short', () => {
  it('are shown in twins, and one click asks that many', async () => {
    server.post('/api/surveys/{surveyId}/studies', ({ body }) => {
      const credits = (body as StudyToStart).run.personaCount;
      const message = 'This run needs more credits than you have in this group.';
      const short = {
        code: 'insufficient_credits' as const,
        message,
        detail: 'They pay for 81 digital twins.',
      };
      const warnings = credits > 81 ? [short] : [];
      return { ...price, credits, available: 81, remaining: 81 - credits, affordablePersonas: 81, warnings };
    });
    const { user, dialog } = await open({ maxPersonas: 81, availableCredits: 81 });
    await user.click(dialog.getByLabelText('Everyone'));
    expect(await dialog.findByText('They pay for 81 digital twins.')).toBeVisible();
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeDisabled();
    await user.click(dialog.getByRole('button', { name: 'Ask 81' }));
    await waitFor(() => expect(dialog.getByLabelText('Number of digital twins')).toHaveValue('81'));
    await waitFor(() => expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeEnabled());
    expect(dialog.queryByText('They pay for 81 digital twins.')).not.toBeInTheDocument();
  });
});

describe('a price', () => {
  it('that the server refuses says why', async () => {
    server.post('/api/surveys/{surveyId}/studies', () => refusal(400, 'Persona 7 was deleted'));
    const { dialog } = await open();
    expect(await dialog.findByText('Cannot start simulation: persona 7 was deleted')).toBeVisible();
  });
});

describe('an empty survey', () => {
  it('cannot be started, and costs nothing', async () => {
    const { dialog } = await open({ questionCount: 0, canSimulate: true });
    expect(dialog.getByText('Survey cannot be simulated: survey has no questions')).toBeVisible();
    expect(dialog.getByRole('button', { name: 'Start Simulation' })).toBeDisabled();
    expect(dialog.getByRole('button', { name: 'Pilot with 10 first' })).toBeDisabled();
    expect(dialog.queryByText('Credits needed')).not.toBeInTheDocument();
  });
});
