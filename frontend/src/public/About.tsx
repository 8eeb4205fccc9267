import { Link } from 'react-router';
import { paths } from '@/paths';
import { LinkButton } from './controls';
import { mailto } from './contact';
import { Citation } from './Citation';
import { PageHero, PublicPage } from './PublicPage';

export default function About() {
  return (
    <PublicPage title="About">
      <PageHero title="About Digital Twin Lab">
        A non-profit place to ask surveys of simulated people, to learn how far such answers carry, and to
        teach survey research with data of one’s own.
      </PageHero>
      <div className="measure prose">
        <h2>Our Mission</h2>
        <p>
          Good questions deserve a rehearsal. Field studies are slow and costly, and a flawed questionnaire
          wastes the time of everyone who answers it. Digital Twin Lab lets anyone with a serious question try
          it first on digital twins: language models that answer as a particular person would, given what that
          person has told researchers before.
        </p>
        <p>
          The lab is non-profit and community-driven. It does not replace research with people. It helps to
          decide what to ask them.
        </p>

        <h2>Who It Is For</h2>
        <ul>
          <li>
            <strong>Researchers</strong> who test hypotheses, pretest instruments and gather preliminary data
            for a grant.
          </li>
          <li>
            <strong>Educators and students</strong> who want to run a whole study, from question to
            conclusion, within a course.
          </li>
          <li>
            <strong>Organizations that collect data</strong> and want to validate a questionnaire before it
            goes out.
          </li>
          <li>
            <strong>Entrepreneurs</strong> in courses and incubators who explore markets and test concepts.
          </li>
        </ul>

        <h2>Research Foundation</h2>
        <p>
          The twins are built from a published data set of about 2,000 people in the United States who
          answered more than 500 questions over four waves: demographics, personality, cognitive abilities,
          economic preferences, attitudes and behaviour. For each simulated response a large language model
          reads one person’s profile and then your questions.
        </p>
        <p>
          In the authors’ studies, twins matched their person’s later answers in about 72 percent of cases,
          where the people themselves, asked twice, agreed with their own earlier answers in about 82 percent.
          Accuracy differs widely between questions and topics. Treat results as a well-informed rehearsal,
          not as data from people.
        </p>
        <h3>Please cite</h3>
        <Citation />

        <h2>Collaboration</h2>
        <p>
          We look for partners who compare twins with human data, improve the methods, or bring the lab into
          their teaching. <Link to={paths.collaboration}>Read how we work together</Link>, or{' '}
          <a href={mailto('Digital Twin Lab')}>write to us</a>.
        </p>
        <div className="prose-actions row gap-3">
          <LinkButton to={paths.getStarted} size="lg">
            Get Started
          </LinkButton>
          <LinkButton to={paths.collaboration} size="lg" variant="outline">
            Collaboration
          </LinkButton>
        </div>
      </div>
    </PublicPage>
  );
}
