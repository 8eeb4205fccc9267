import { paths } from '@/paths';
import { LinkButton } from './controls';
import { Benefits } from './Benefits';
import { PublicPage } from './PublicPage';
import { Steps } from './Steps';
import { TwinField } from './TwinField';
import { UseCases } from './UseCases';
import './Landing.css';

const steps = [
  {
    title: 'Design Your Survey',
    text: 'Write questions from scratch or adapt an earlier study: single and multiple choice, matrix ratings, sliders and open text. Drag them into order and preview each one.',
  },
  {
    title: 'Run the Simulation',
    text: 'Choose how many digital twins to ask, or name them one by one. You see the cost before you start, follow every answer as it comes in, and can pause or stop at any time.',
  },
  {
    title: 'Download Results',
    text: 'Read the answers as a matrix, a list or charts, then take the full response data with you as CSV or a workbook, ready for Excel, R or Python.',
  },
];

export default function Landing() {
  return (
    <PublicPage title="Digital Twin Lab">
      <section className="hero">
        <div className="hero-text">
          <h1>Digital Twin Lab</h1>
          <p className="lead">
            Ask a survey of more than 2,000 digital twins, each built from a real person’s answers, and see
            how they respond before you go into the field.
          </p>
          <div className="hero-actions row gap-3">
            <LinkButton to={paths.getStarted} size="lg">
              Get Started
            </LinkButton>
            <LinkButton to={paths.about} size="lg" variant="outline">
              Learn More<span className="visually-hidden"> about the lab and its digital twins</span>
            </LinkButton>
          </div>
          <p className="hero-note muted small">Invite-only and non-profit, for research and education.</p>
        </div>
        <TwinField />
      </section>

      <Benefits />

      <Steps title="How the System Works" steps={steps} />

      <UseCases />

      <section className="band band-brand" aria-labelledby="together">
        <div className="wide collaborate row gap-5 between">
          <div>
            <h2 id="together">Research Collaboration</h2>
            <p>
              How well do digital twins stand in for people, for which questions, and where do they fail? We
              work on that in the open, with methodologists, teachers and field researchers. Bring a study, a
              data set or a doubt.
            </p>
          </div>
          <LinkButton to={paths.collaboration} size="lg">
            Explore collaboration
          </LinkButton>
        </div>
      </section>
    </PublicPage>
  );
}
