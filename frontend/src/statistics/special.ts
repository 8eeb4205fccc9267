// Tails of the distributions that tests and intervals need, each computed as a tail: the difference from 1 would lose
// the digits of small p-values. `@stdlib` has them too, in some 230 packages and 50 KB compressed.

const LANCZOS_G = 7;
const LANCZOS = [
  0.99999999999980993, 676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059,
  12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6, 1.5056327351493116e-7,
];

/** ln Γ(x) for x > 0, by Lanczos' approximation. */
export function lnGamma(x: number): number {
  if (x < 0.5) return Math.log(Math.PI / Math.sin(Math.PI * x)) - lnGamma(1 - x);
  const sum = LANCZOS.reduce(
    (sum, coefficient, place) => (place === 0 ? sum : sum + coefficient / (x - 1 + place)),
    LANCZOS[0] ?? 1,
  );
  const t = x - 0.5 + LANCZOS_G;
  return 0.5 * Math.log(2 * Math.PI) + (x - 0.5) * Math.log(t) - t + Math.log(sum);
}

const EPSILON = 1e-16;
const STEPS = 10_000;
/** Replaces a zero by which a continued fraction would be divided. */
const TINY = 1e-300;

/** A continued fraction b₀ + a₁/(b₁ + a₂/(b₂ + …)) by Lentz's method. */
function continuedFraction(a: (step: number) => number, b: (step: number) => number): number {
  let value = b(0) || TINY;
  let c = value;
  let d = 0;
  for (let step = 1; step < STEPS; step += 1) {
    d = 1 / (b(step) + a(step) * d || TINY);
    c = b(step) + a(step) / c || TINY;
    const factor = c * d;
    value *= factor;
    if (Math.abs(factor - 1) < EPSILON) break;
  }
  return value;
}

/** The regularized incomplete beta function I_x(a, b), where `y` is 1 − x to its own digits. */
export function incompleteBeta(x: number, y: number, a: number, b: number): number {
  if (x <= 0) return 0;
  if (y <= 0) return 1;
  // Beyond the mean of the distribution the fraction of the other side converges.
  if (x > (a + 1) / (a + b + 2)) return 1 - incompleteBeta(y, x, b, a);
  const front = Math.exp(a * Math.log(x) + b * Math.log(y) + lnGamma(a + b) - lnGamma(a) - lnGamma(b));
  const numerator = (step: number) => {
    if (step === 1) return 1;
    const m = Math.floor((step - 1) / 2);
    return step % 2 === 0
      ? (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
      : (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m));
  };
  return (front / a) * continuedFraction(numerator, (step) => (step === 0 ? 0 : 1));
}

/** The upper tail Q(a, x) of the regularized incomplete gamma function. */
export function upperGamma(a: number, x: number): number {
  if (x <= 0) return 1;
  const front = Math.exp(-x + a * Math.log(x) - lnGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let step = 1; step < STEPS && term > sum * EPSILON; step += 1) {
      term *= x / (a + step);
      sum += term;
    }
    return 1 - front * sum;
  }
  const fraction = continuedFraction(
    (step) => (step === 1 ? 1 : -(step - 1) * (step - 1 - a)),
    (step) => (step === 0 ? 0 : x + 2 * (step - 1) + 1 - a),
  );
  return front * fraction;
}

/** P(|T| > t) of Student's t, for t ≥ 0. */
export function studentTails(t: number, df: number): number {
  const square = t * t;
  return incompleteBeta(df / (df + square), square / (df + square), df / 2, 0.5);
}

/** P(F > f). */
export function fTail(f: number, df1: number, df2: number): number {
  if (f <= 0) return 1;
  const whole = df2 + df1 * f;
  return incompleteBeta(df2 / whole, (df1 * f) / whole, df2 / 2, df1 / 2);
}

/** P(X² > x). */
export const chiSquareTail = (x: number, df: number): number => upperGamma(df / 2, x / 2);

/** P(|Z| > z) of the standard normal distribution, for z ≥ 0. */
export const normalTails = (z: number): number => upperGamma(0.5, (z * z) / 2);

/**
 * The value at which both tails together are `alpha`, by Newton's method, which converges from 0 from one side only.
 */
function quantile(tails: (x: number) => number, density: (x: number) => number, alpha: number): number {
  let x = 0;
  for (let step = 0; step < 200; step += 1) {
    const next = x + (tails(x) - alpha) / (2 * density(x));
    if (!(next - x > EPSILON * next)) return x;
    x = next;
  }
  return x;
}

/** The half width of an interval that holds `level` of Student's t. */
export function studentQuantile(level: number, df: number): number {
  const front = Math.exp(lnGamma((df + 1) / 2) - lnGamma(df / 2)) / Math.sqrt(df * Math.PI);
  const density = (t: number) => front * (1 + (t * t) / df) ** (-(df + 1) / 2);
  return quantile((t) => studentTails(t, df), density, 1 - level);
}

/** The half width of an interval that holds `level` of the standard normal distribution. */
export function normalQuantile(level: number): number {
  const density = (z: number) => Math.exp((-z * z) / 2) / Math.sqrt(2 * Math.PI);
  return quantile(normalTails, density, 1 - level);
}
