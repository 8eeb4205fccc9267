import { render } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { Piped } from './Piped';
import { partsOfText, plainText, readsField } from './piped';

describe('a text with pipes', () => {
  it('is read as the server reads it', () => {
    expect(partsOfText('How fair is {{ field : fee }} at {{twin:Age}}?')).toEqual([
      'How fair is ',
      { kind: 'field', name: 'fee' },
      ' at ',
      { kind: 'twin', name: 'Age' },
      '?',
    ]);
    expect(plainText('You said {{answer:Q3.row2}} of {{loop:text}}')).toBe('You said [Q3.row2] of [text]');
    expect(plainText('\\{{field:fee}} and {{other:fee}} and {{field:fee}')).toBe(
      '{{field:fee}} and {{other:fee}} and {{field:fee}',
    );
    expect(plainText('no pipe')).toBe('no pipe');
  });

  it('shows the name of what is inserted, or the text that an arm has for it, and never its braces', () => {
    const text = 'How fair is {{field:fee}} for {{twin:Age}}?';
    const { container, rerender } = render(<Piped text={text} />);
    expect(container).toHaveTextContent('How fair is fee for Age?');
    rerender(<Piped text={text} fields={{ fee: 'a resort fee' }} />);
    expect(container).toHaveTextContent('How fair is a resort fee for Age?');
    expect([...container.querySelectorAll('mark')].map((mark) => mark.textContent)).toEqual([
      'a resort fee',
      'Age',
    ]);
  });

  it('is known to read a field', () => {
    expect(readsField('{{field:fee}}', { fee: 'a fee' })).toBe(true);
    expect(readsField('{{twin:fee}} {{field:price}}', { fee: 'a fee' })).toBe(false);
  });
});
