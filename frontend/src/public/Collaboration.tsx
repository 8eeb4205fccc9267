import { Link } from 'react-router';
import { paths } from '@/paths';
import { mailto } from './contact';
import { PageHero, PublicPage } from './PublicPage';

const areas = [
  {
    title: 'Methodological improvements',
    text: 'Better prompts and profiles, calibration against human answers, less variance lost between twins, and ways to tell which questions twins can answer at all.',
  },
  {
    title: 'Validation studies',
    text: 'Parallel studies with people and twins, replications of published work, and honest measures of accuracy for groups and topics.',
  },
  {
    title: 'Educational applications',
    text: 'Courses and exercises in survey design, statistics, marketing and psychology that let students work with data of their own.',
  },
  {
    title: 'Research publications',
    text: 'Joint papers, registered reports and open data on what simulated respondents can and cannot contribute.',
  },
];

const benefits = [
  'Access to the lab and credits for the joint work',
  'Help with the design of simulations and the analysis of their output',
  'Early access to new methods, with a say in what comes next',
  'Shared authorship where the contribution is shared',
  'A community of researchers and teachers with the same questions',
];

const steps = [
  {
    title: 'Initial contact',
    text: 'Write us a few lines about your idea, your field and what you have in hand.',
  },
  {
    title: 'Discussion and planning',
    text: 'We meet, look at what has been done, and find out whether twins can answer the question.',
  },
  {
    title: 'Project planning',
    text: 'Together we settle the design, the data, the roles, the schedule and what will be published.',
  },
  {
    title: 'Implementation',
    text: 'We set up your group and its credits, run the study, and publish what we find, whichever way it turns out.',
  },
];

export default function Collaboration() {
  return (
    <PublicPage title="Research Collaboration">
      <PageHero title="Research Collaboration">
        Digital twins are a young method. Whether they deserve trust is an empirical question, and we would
        like to answer it with you.
      </PageHero>
      <div className="measure prose">
        <h2>Areas of Collaboration</h2>
        {areas.map(({ title, text }) => (
          <section key={title}>
            <h3>{title}</h3>
            <p>{text}</p>
          </section>
        ))}
        <h2>What You Gain</h2>
        <ul>
          {benefits.map((benefit) => (
            <li key={benefit}>{benefit}</li>
          ))}
        </ul>
        <h2>How We Work Together</h2>
        <ol>
          {steps.map(({ title, text }) => (
            <li key={title}>
              <strong>{title}.</strong> {text}
            </li>
          ))}
        </ol>
        <div className="prose-actions row gap-3">
          <a className="button button-primary button-lg" href={mailto('Research collaboration')}>
            Contact us
          </a>
        </div>
        <p>
          <Link to={paths.landing}>Back to Home</Link>
        </p>
      </div>
    </PublicPage>
  );
}
