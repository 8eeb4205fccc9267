import { expect, it } from 'vitest';
import { readClassList } from './classList';

const kinds = (text: string, members: string[] = []) =>
  readClassList(text, members).map((listed) => `${listed.kind} ${listed.text}`);

it('a class list is read however it is separated, each e-mail once', () => {
  const read = ['new a@x.org', 'new b@x.org', 'new c@x.org'];
  expect(kinds('a@x.org, b@x.org; c@x.org')).toEqual(read);
  expect(kinds('a@x.org\nb@x.org\r\n\nc@x.org\nA@X.org')).toEqual(read);
  expect(kinds('Ada <a@x.org>, "Lovelace, B" <b@x.org> c@x.org')).toEqual(read);
});

it('a CSV is read wherever its e-mails stand', () => {
  expect(kinds('Name;E-Mail;Term\n"Ada, L.";a@x.org;1\nBob;b@x.org;1')).toEqual([
    'new a@x.org',
    'new b@x.org',
  ]);
});

it('members, new people and texts that are no e-mail are distinguished', () => {
  expect(kinds('a@x.org\nb@x\nBob\nc@x.org', ['A@x.org'])).toEqual([
    'known a@x.org',
    'invalid b@x',
    'invalid Bob',
    'new c@x.org',
  ]);
});

it('an empty list names nobody', () => {
  expect(kinds(' \n ')).toEqual([]);
});
