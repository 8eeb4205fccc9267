/**
 * Statistics that charts and comparisons compute from counts, means and standard deviations. Checked against scipy and
 * statsmodels.
 */
export { anova, chiSquare, holm, separation, totalVariation, welch } from './comparisons';
export type { Anova, ChiSquare, Welch } from './comparisons';
export { meanInterval, newcombe, wilson } from './intervals';
export type { Interval, Sample } from './intervals';
