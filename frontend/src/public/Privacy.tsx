import { Link } from 'react-router';
import { kept } from '@/api/kept';
import { paths } from '@/paths';
import { contactEmail, mailto } from './contact';
import { LegalPage, type Section } from './LegalPage';

const sections = (): readonly Section[] => [
  {
    title: 'Information We Collect',
    body: (
      <>
        <p>We collect only what the platform needs in order to work:</p>
        <ul>
          <li>your e-mail address, and your name and photo if you choose to add them;</li>
          <li>your institution, purpose and description, as given in the access request;</li>
          <li>the surveys that you write, and their simulated results;</li>
          <li>the messages that you send us for support;</li>
          <li>
            answers of other people, where a survey’s author sets twins beside people who answered the same
            survey.
          </li>
        </ul>
        <p>
          Of a file with answers of other people we keep only the columns that are compared, and only if the
          survey’s author says so: never names, addresses, e-mail or IP addresses or places. Please upload
          only answers whose people agreed to it. They are deleted with the survey or the author’s account.
        </p>
      </>
    ),
  },
  {
    title: 'How We Use It',
    body: (
      <p>
        We use this information to review access requests, to sign you in, to run your simulations, to keep
        account of credits, to send the notifications that you asked for, and to answer you. We do not use it
        for advertising, and do not build profiles of you.
      </p>
    ),
  },
  {
    title: 'No Tracking, No Cookies',
    body: (
      <>
        <p>
          There are no trackers, no analytics and no cookies here. This is all that your browser keeps for the
          platform. Nothing of it leaves your browser except to reach the platform.
        </p>
        <p>In its local storage, until you remove it there:</p>
        <Kept storage="local" />
        <p>In its session storage, until you close the tab:</p>
        <Kept storage="session" />
      </>
    ),
  },
  {
    title: 'Sharing',
    body: (
      <>
        <p>
          We do not sell or share personal information with third parties. The members and managers of a group
          see the e-mail addresses and budgets of that group. A private survey and its results can be read by
          you and the owner of its group, a public one by all members of its group. To generate answers, the
          questions of a survey and the profile of a twin are sent to the language model. Nothing that
          identifies you goes with them, so please put no personal data into your questions.
        </p>
        <p>
          Nobody but the survey’s author and the administrators of the platform can change or delete answers
          of other people. Others see figures, of a public survey none of fewer than five people. The rows
          leave the platform only if the author ticks that for a bundle, which then says on its first page
          that it holds personal data; no administrator can.
        </p>
      </>
    ),
  },
  {
    title: 'The People Behind the Twins',
    body: (
      <p>
        Digital twins are built from a published dataset whose participants agreed to its publication (CC BY
        4.0). It holds no names or contact details. Trying to find out who they are is forbidden by our{' '}
        <Link to={paths.terms}>terms</Link>.
      </p>
    ),
  },
  {
    title: 'Security and Retention',
    body: (
      <p>
        Connections are encrypted, sign-in codes are stored hashed and expire after minutes, and access is
        limited by role. We keep your data for as long as you have an account. When you delete it, your
        personal data is removed within 30 days.
      </p>
    ),
  },
  {
    title: 'Your Rights',
    body: (
      <>
        <p>You have the right to</p>
        <ul>
          <li>access the data that we hold about you;</li>
          <li>correct it, in your profile or by writing to us;</li>
          <li>delete it, together with your account, in the settings;</li>
          <li>export it: the settings offer all of it as a file.</li>
        </ul>
      </>
    ),
  },
  {
    title: 'Age',
    body: (
      <p>
        The platform is for people who are at least 18 years old, except that university students may use it
        at a younger age. We do not knowingly keep data of anybody else.
      </p>
    ),
  },
  {
    title: 'Changes and Contact',
    body: (
      <p>
        When our practice changes, this page changes with it. For anything about your data, write to{' '}
        <a href={mailto('Privacy')}>{contactEmail()}</a>.
      </p>
    ),
  },
];

/** The entries that the browser keeps in one of its storages. */
function Kept({ storage }: { storage: 'local' | 'session' }) {
  return (
    <ul>
      {Object.entries(kept)
        .filter(([, entry]) => entry.storage === storage)
        .map(([key, { what }]) => (
          <li key={key}>
            <code>{key.replace(/[-:]$/, '$&…')}</code>: {what}
          </li>
        ))}
    </ul>
  );
}

export default function Privacy() {
  return (
    <LegalPage
      title="Privacy Policy"
      intro="Little is collected, nothing is tracked, and everything about you is yours to see, correct, export and delete."
      sections={sections()}
    />
  );
}
