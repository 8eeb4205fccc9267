import { useState } from 'react';
import { Link, useLocation, useNavigate, useSearchParams } from 'react-router';
import { api, messageOf } from '@/api/client';
import { signOutNotice, SESSION_ENDED, signIn, useSession } from '@/api/session';
import { homeOf, nextOf, paths } from '@/paths';
import { LogoMark } from '@/shell/Logo';
import { useTitle } from '@/ui/titleAndAddress';
import { RedirectScreen } from '@/shell/guards';
import { applySavedTheme } from '@/ui/colorTheme';
import { Notice } from './controls';
import { CodeStep } from './CodeStep';
import { EmailStep } from './EmailStep';
import { LinkStep } from './LinkStep';
import { keepSentCode, lastSentCode, type SentCode } from './sentCode';
import './Login.css';

const REDIRECT_MS = 500;

interface Message {
  type: 'success' | 'warning' | 'error';
  text: string;
}

const noticeOfSignOut = (): Message | null => {
  const text = signOutNotice();
  return text === null ? null : { type: text === SESSION_ENDED ? 'warning' : 'success', text };
};

/** Reads the part after the # of a mailed link: the e-mail address and the key. */
function linkOf(hash: string): { email: string; key: string } | null {
  const facts = new URLSearchParams(hash.slice(1));
  const [email, key] = [facts.get('email'), facts.get('key')];
  return email === null || key === null ? null : { email, key };
}

/** Sign-in in two steps: the e-mail, then the code that was mailed to it; or in one, by the link of that mail. */
export default function Login() {
  const user = useSession();
  const navigate = useNavigate();
  const next = nextOf(useSearchParams()[0]);
  const link = linkOf(useLocation().hash);
  const [sent, setSent] = useState(lastSentCode);
  const [email, setEmail] = useState(sent?.email ?? '');
  const [message, setMessage] = useState<Message | null>(noticeOfSignOut);
  const [arrived, setArrived] = useState(false);
  useTitle('Sign In');

  if (user !== null && !arrived) return <RedirectScreen {...(next !== null && { to: next })} />;

  const ask = (next: SentCode | null) => {
    keepSentCode(next);
    setSent(next);
  };
  const requestCode = async () => {
    setMessage(null);
    try {
      await api.post('/api/auth/request-login', { body: { email } });
      ask({ email, at: Date.now() });
      setMessage({ type: 'success', text: 'Verification code sent successfully! Check your email.' });
    } catch (error) {
      setMessage({
        type: 'error',
        text: messageOf(error, 'Failed to send verification code. Please try again.'),
      });
    }
  };
  const verify = async (code: string, of = email) => {
    setMessage(null);
    try {
      const { access_token } = await api.post('/api/auth/verify-login', { body: { email: of, code } });
      setArrived(true);
      keepSentCode(null);
      const session = signIn(access_token);
      setMessage({ type: 'success', text: 'Login successful! Redirecting...' });
      void applySavedTheme();
      const home = session === null ? paths.login : (next ?? homeOf(session.role));
      setTimeout(() => void navigate(home, { replace: true }), REDIRECT_MS);
    } catch (error) {
      setMessage({
        type: 'error',
        text: messageOf(error, 'Invalid or expired verification code. Please try again.'),
      });
    }
  };
  const back = () => {
    ask(null);
    setMessage(null);
  };

  return (
    <main className="login">
      <div className="login-card stack gap-4 card small">
        <LogoMark size={44} />
        <h1>Digital Twin Lab</h1>
        <p className="login-subtitle">
          {link !== null
            ? `Sign in as ${link.email}`
            : sent !== null
              ? `We sent a verification code to ${email}`
              : 'Sign in with your e-mail; we send you a code.'}
        </p>
        {message !== null && <Notice type={message.type}>{message.text}</Notice>}
        {link !== null ? (
          <LinkStep
            onVerify={() => verify(link.key, link.email)}
            onCode={() => void navigate({ hash: '' }, { replace: true })}
            arrived={arrived}
          />
        ) : sent !== null ? (
          <CodeStep onVerify={verify} onBack={back} arrived={arrived} sentAt={sent.at} />
        ) : (
          <EmailStep email={email} onChange={setEmail} onSend={requestCode} />
        )}
        <p className="login-more">
          Classes and institutes: <Link to={paths.getStarted}>request access</Link>
        </p>
        <Link to={paths.landing}>Back to Home</Link>
      </div>
    </main>
  );
}
