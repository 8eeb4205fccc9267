import { useState } from 'react';
import { Link } from 'react-router';
import { paths } from '@/paths';
import { LinkButton } from './controls';
import { mailto } from './contact';
import { PageHero, PublicPage } from './PublicPage';
import { RequestAccess } from './RequestAccess';
import { Steps } from './Steps';
import './GetStarted.css';

const steps = [
  {
    title: 'Initial Contact',
    text: 'Tell us who you are and what you would like to study or teach. The form on this page is all it takes.',
  },
  {
    title: 'Group Access Setup',
    text: 'We review the request. On approval you receive an e-mail with the next steps, and can create a group for your class, lab or institution.',
  },
  {
    title: 'User Management',
    text: 'Invite members by e-mail, give each of them a budget of simulation credits, and change or suspend it whenever you need to.',
  },
];

export default function GetStarted() {
  const [done, setDone] = useState(false);
  return (
    <PublicPage title="Get Started">
      <PageHero title="Get started with Digital Twin Lab">
        Access is by request, for classes, research groups and institutions. It is free of charge, and a
        person reads every request.
      </PageHero>
      <Steps title="How It Works" steps={steps} width="measure" />
      <section className="measure request" aria-labelledby="request">
        {done ? (
          <div role="status" className="request-done stack gap-4">
            <h2 id="request">Request Submitted Successfully!</h2>
            <p>
              Thank you. Your request will be reviewed, and on approval you will receive an e-mail with the
              next steps.
            </p>
            <LinkButton to={paths.landing}>Return to Home</LinkButton>
          </div>
        ) : (
          <>
            <h2 id="request">Request Access</h2>
            <RequestAccess onDone={() => setDone(true)} />
          </>
        )}
        <p className="request-more">
          Already have access? <Link to={paths.login}>Sign in here</Link>. Questions first?{' '}
          <a href={mailto('Digital Twin Lab')}>Contact Us</a>
        </p>
      </section>
    </PublicPage>
  );
}
