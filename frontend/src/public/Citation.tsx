/** How to cite the data behind the twins, and its licence. */
export function Citation() {
  return (
    <>
      <blockquote>
        Toubia, O., Gui, G. Z., Peng, T., Merlau, D. J., Li, A., &amp; Chen, H. (2025). Twin-2K-500: A Data
        Set for Building Digital Twins of over 2,000 People Based on Their Answers to over 500 Questions.{' '}
        <em>Marketing Science</em>, 44(6), 1446–1455.
      </blockquote>
      <p>
        The data set is published as{' '}
        <a href="https://huggingface.co/datasets/LLM-Digital-Twin/Twin-2K-500">
          LLM-Digital-Twin/Twin-2K-500
        </a>{' '}
        under the{' '}
        <a href="https://creativecommons.org/licenses/by/4.0/">Creative Commons Attribution 4.0 licence</a>{' '}
        (CC BY 4.0). A preprint stands at <a href="https://arxiv.org/abs/2505.17479">arXiv:2505.17479</a>.
      </p>
    </>
  );
}
