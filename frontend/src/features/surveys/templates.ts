import type { QuestionPayload } from '@/api/types';

/** A classic study to begin with. The words are ours, the design is the source's. */
export interface Template {
  key: string;
  title: string;
  /** The subject, in a line. */
  about: string;
  /** The method and the finding of the source. */
  story: string;
  citation: string;
  doi: string;
  /** A survey each: people of the source saw one of them. */
  versions: { name: string; questions: QuestionPayload[] }[];
}

const choice = (text: string, ...options: string[]): QuestionPayload => ({
  text,
  type: 'SINGLE_CHOICE',
  required: true,
  options,
});

const slider = (
  text: string,
  [min, max]: [number, number],
  [low, high]: [string, string],
): QuestionPayload => ({
  text,
  type: 'SLIDER',
  required: true,
  min_value: min,
  max_value: max,
  min_description: low,
  max_description: high,
});

const disease =
  'A country prepares for the outbreak of an unusual disease, which is expected to kill 600 people. Two programs ' +
  'against it have been proposed. Assume that their consequences are known exactly:\n';

const share = 'the share of African countries among the members of the United Nations, in percent';

const anchored = (anchor: number): QuestionPayload[] => [
  choice(`Think of ${share}. Is it higher or lower than ${anchor} %?`, 'Higher', 'Lower'),
  slider(`What is your best estimate of ${share}?`, [0, 100], ['0 %', '100 %']),
];

const donor = (situation: string, ...options: string[]): QuestionPayload[] => [
  choice(`Imagine that you have just moved to another state. ${situation}`, ...options),
];

const DONATE = 'I am willing to be an organ donor';
const DO_NOT = 'I am not willing to be an organ donor';

export const templates: readonly Template[] = [
  {
    key: 'framing',
    title: 'Framing: lives saved, lives lost',
    about: 'Does the same choice look different when its outcomes are described as gains or as losses?',
    story:
      'Both versions describe the same outcomes. Framed as lives saved, 72 % chose the certain program; framed as ' +
      'lives lost, 78 % chose the gamble. Run both versions with the same twins and compare.',
    citation:
      'Tversky, A., & Kahneman, D. (1981). The framing of decisions and the psychology of choice. Science, 211(4481), 453-458.',
    doi: '10.1126/science.7455683',
    versions: [
      {
        name: 'Lives saved',
        questions: [
          choice(
            `${disease}With program A, 200 people will be saved. With program B, there is a one-third chance that 600 people will be saved, and a two-thirds chance that nobody will be saved.\nWhich of the two programs do you favor?`,
            'Program A',
            'Program B',
          ),
        ],
      },
      {
        name: 'Lives lost',
        questions: [
          choice(
            `${disease}With program A, 400 people will die. With program B, there is a one-third chance that nobody will die, and a two-thirds chance that 600 people will die.\nWhich of the two programs do you favor?`,
            'Program A',
            'Program B',
          ),
        ],
      },
    ],
  },
  {
    key: 'anchoring',
    title: 'Anchoring: a number to begin with',
    about: 'Does a number that was named at random pull an estimate towards it?',
    story:
      'A wheel of fortune stopped at 10 or at 65 before people estimated. The median estimate was 25 % after 10, and ' +
      '45 % after 65.',
    citation:
      'Tversky, A., & Kahneman, D. (1974). Judgment under uncertainty: Heuristics and biases. Science, 185(4157), 1124-1131.',
    doi: '10.1126/science.185.4157.1124',
    versions: [
      { name: 'Low anchor', questions: anchored(10) },
      { name: 'High anchor', questions: anchored(65) },
    ],
  },
  {
    key: 'ultimatum',
    title: 'Ultimatum game',
    about: 'How much does one offer, and what is too little to accept?',
    story:
      'One person proposes how to split a sum; if the other rejects, both get nothing. A player who only counts ' +
      'money accepts anything, but offers were often near an even split, and low ones were often rejected.',
    citation:
      'Güth, W., Schmittberger, R., & Schwarze, B. (1982). An experimental analysis of ultimatum bargaining. Journal of Economic Behavior & Organization, 3(4), 367-388.',
    doi: '10.1016/0167-2681(82)90011-7',
    versions: [
      {
        name: 'Both roles',
        questions: [
          slider(
            'You and a stranger can share $10. You propose how to split it, once. If the stranger accepts, both get what you proposed; if not, both get nothing. You will never meet. How many dollars do you offer the stranger?',
            [0, 10],
            ['$0', '$10'],
          ),
          slider(
            'Now the stranger proposes how to split $10, and you accept or reject. If you reject, both get nothing. What is the smallest offer, in dollars, that you would accept?',
            [0, 10],
            ['$0', '$10'],
          ),
          choice(
            'The stranger offers you $2 and would keep $8. What do you do?',
            'I accept: I get $2, the stranger gets $8',
            'I reject: both get nothing',
          ),
        ],
      },
    ],
  },
  {
    key: 'trust',
    title: 'Dictator and trust games',
    about: 'How much does one give without a reason, and how much on trust?',
    story:
      'People who may simply give often give something (Forsythe et al., 1994). In the trust game the amount sent is ' +
      'tripled, and the other player decides how much to return: 30 of 32 people sent something, $5.16 of $10 on average.',
    citation:
      'Berg, J., Dickhaut, J., & McCabe, K. (1995). Trust, reciprocity, and social history. Games and Economic Behavior, 10(1), 122-142. Dictator game: Forsythe, R., Horowitz, J. L., Savin, N. E., & Sefton, M. (1994). Fairness in simple bargaining experiments. Games and Economic Behavior, 6(3), 347-369.',
    doi: '10.1006/game.1995.1027',
    versions: [
      {
        name: 'Three decisions',
        questions: [
          slider(
            'You are given $10. You may give any part of it to a stranger, whom you will never meet and who cannot do anything about it. How many dollars do you give?',
            [0, 10],
            ['$0', '$10'],
          ),
          slider(
            'You are given $10 and may send any part of it to another stranger. What you send is tripled on its way. The stranger then decides how much of it to send back to you. How many dollars do you send?',
            [0, 10],
            ['$0', '$10'],
          ),
          slider(
            'Now you are the one who receives. A stranger had $10, sent you $5, and you have received $15. How many dollars do you send back?',
            [0, 15],
            ['$0', '$15'],
          ),
        ],
      },
    ],
  },
  {
    key: 'sunk-cost',
    title: 'Sunk cost: finish what was begun',
    about: 'Does money that is gone speak for spending more?',
    story:
      'Of those who had already invested, 85 % put the last 10 % into a product that was overtaken; of those who had ' +
      'not, 17 % wanted to invest the same sum.',
    citation:
      'Arkes, H. R., & Blumer, C. (1985). The psychology of sunk cost. Organizational Behavior and Human Decision Processes, 35(1), 124-140.',
    doi: '10.1016/0749-5978(85)90049-4',
    versions: [
      {
        name: 'Money already spent',
        questions: [
          choice(
            'You head an airline company and have invested $10 million of its money in a research project: a plane that conventional radar cannot detect. When the project is 90 % completed, another firm begins to sell a plane that radar cannot detect either, and that is much faster and far more economical than yours. Should you invest the last 10 % of the research funds to finish your plane?',
            'Yes',
            'No',
          ),
        ],
      },
      {
        name: 'Nothing spent yet',
        questions: [
          choice(
            'You head an airline company. One of your employees suggests to use the last $1 million of your research funds to develop a plane that conventional radar cannot detect. Another firm has just begun to sell a plane that radar cannot detect either, and that is much faster and far more economical than the one your company could build. Should you invest the last $1 million of the research funds in the plane?',
            'Yes',
            'No',
          ),
        ],
      },
    ],
  },
  {
    key: 'default',
    title: 'Default effect: organ donation',
    about: 'Does it matter what happens to those who do not choose?',
    story:
      'With a default of not being a donor 42 % became one; with a default of being one, 82 % stayed it; without a ' +
      'default, 79 % chose to be one.',
    citation:
      'Johnson, E. J., & Goldstein, D. (2003). Do defaults save lives? Science, 302(5649), 1338-1339.',
    doi: '10.1126/science.1091721',
    versions: [
      {
        name: 'Opt in',
        questions: donor(
          'There, nobody is an organ donor unless they say so. You are asked to confirm this status or to change it.',
          'I keep it: I am not an organ donor',
          'I change it: I become an organ donor',
        ),
      },
      {
        name: 'Opt out',
        questions: donor(
          'There, everybody is an organ donor unless they say otherwise. You are asked to confirm this status or to change it.',
          'I keep it: I am an organ donor',
          'I change it: I am not an organ donor any more',
        ),
      },
      {
        name: 'No default',
        questions: donor('There, everybody is asked to choose, without any prior status.', DONATE, DO_NOT),
      },
    ],
  },
  {
    key: 'trolley',
    title: 'Moral dilemmas: switch and footbridge',
    about: 'One for five: does it matter how the one dies?',
    story:
      'Most people turn the switch, few push the man, though one dies for five in both. Greene and others found that ' +
      'the second kind engages emotion more.',
    citation:
      'Greene, J. D., Sommerville, R. B., Nystrom, L. E., Darley, J. M., & Cohen, J. D. (2001). An fMRI investigation of emotional engagement in moral judgment. Science, 293(5537), 2105-2108. After Thomson, J. J. (1985). The trolley problem. Yale Law Journal, 94(6), 1395-1415.',
    doi: '10.1126/science.1062872',
    versions: [
      {
        name: 'Both dilemmas',
        questions: [
          choice(
            'A runaway trolley is about to kill five people on the track. You stand beside a switch that would send it to a side track, where it would kill one person instead. Nothing else can be done. Is it appropriate to turn the switch?',
            'Appropriate',
            'Inappropriate',
          ),
          choice(
            'A runaway trolley is about to kill five people on the track. You stand on a footbridge above it, beside a large stranger. If you push the stranger down onto the track, he will die, but his body will stop the trolley and the five will live. Nothing else can be done. Is it appropriate to push the stranger?',
            'Appropriate',
            'Inappropriate',
          ),
        ],
      },
    ],
  },
  {
    key: 'big-five',
    title: 'Big Five in twenty statements (Mini-IPIP)',
    about: 'Extraversion, agreeableness, conscientiousness, neuroticism, and intellect or imagination.',
    story:
      'Items of the International Personality Item Pool, which are in the public domain. Rows 1, 6, 11 and 16 are ' +
      'extraversion, 2, 7, 12, 17 agreeableness, 3, 8, 13, 18 conscientiousness, 4, 9, 14, 19 neuroticism, 5, 10, 15, 20 ' +
      'intellect. Turn the scale of rows 6 to 10 and 15 to 20 before you add them up.',
    citation:
      'Donnellan, M. B., Oswald, F. L., Baird, B. M., & Lucas, R. E. (2006). The Mini-IPIP scales: Tiny-yet-effective measures of the Big Five factors of personality. Psychological Assessment, 18(2), 192-203.',
    doi: '10.1037/1040-3590.18.2.192',
    versions: [
      {
        name: 'Twenty statements',
        questions: [
          {
            text: 'How accurately does each statement describe you as you generally are now?',
            type: 'MATRIX',
            required: true,
            scale_labels: [
              'Very inaccurate',
              'Moderately inaccurate',
              'Neither inaccurate nor accurate',
              'Moderately accurate',
              'Very accurate',
            ],
            sub_questions: [
              'Am the life of the party.',
              "Sympathize with others' feelings.",
              'Get chores done right away.',
              'Have frequent mood swings.',
              'Have a vivid imagination.',
              "Don't talk a lot.",
              "Am not interested in other people's problems.",
              'Often forget to put things back in their proper place.',
              'Am relaxed most of the time.',
              'Am not interested in abstract ideas.',
              'Talk to a lot of different people at parties.',
              "Feel others' emotions.",
              'Like order.',
              'Get upset easily.',
              'Have difficulty understanding abstract ideas.',
              'Keep in the background.',
              'Am not really interested in others.',
              'Make a mess of things.',
              'Seldom feel blue.',
              'Do not have a good imagination.',
            ],
          },
        ],
      },
    ],
  },
];
