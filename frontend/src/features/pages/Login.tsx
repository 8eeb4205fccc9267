import { useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { api, messageOf } from '@/api/client';
import { lastFarewell, SESSION_ENDED, signIn, useSession } from '@/api/session';
import { homeOf, nextOf, paths } from '@/paths';
import { LogoMark } from '@/shell/Logo';
import { useTitle } from '@/ui/titleAndAddress';
import { RedirectScreen } from '@/shell/guards';
import { applySavedTheme } from '@/ui/colorTheme';
import { Notice } from './controls';
import { CodeStep } from './CodeStep';
import { EmailStep } from './EmailStep';
import { keepSentCode, lastSentCode, type SentCode } from './sentCode';
import './Login.css';

const REDIRECT_MS = 500;

interface Message {
  type: 'success' | 'warning' | 'error';
  text: string;
}

const farewell = (): Message | null => {
  const text = lastFarewell();
  return text === null ? null : { type: text === SESSION_ENDED ? 'warning' : 'success', text };
};

/** Sign-in in two steps: the e-mail, then the code that was mailed to it. */
export default function Login() {
  const user = useSession();
  const navigate = useNavigate();
  const next = nextOf(useSearchParams()[0]);
  const [sent, setSent] = useState(lastSentCode);
  const [email, setEmail] = useState(sent?.email ?? '');
  const [message, setMessage] = useState<Message | null>(farewell);
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
  const verify = async (code: string) => {
    setMessage(null);
    try {
      const { access_token } = await api.post('/api/auth/verify-login', { body: { email, code } });
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
      <div className="login-card">
        <LogoMark size={44} />
        <h1>Digital Twin Lab</h1>
        <p className="login-subtitle">
          {sent !== null
            ? `We sent a verification code to ${email}`
            : 'Sign in with your e-mail; we send you a code.'}
        </p>
        {message !== null && <Notice type={message.type}>{message.text}</Notice>}
        {sent !== null ? (
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
