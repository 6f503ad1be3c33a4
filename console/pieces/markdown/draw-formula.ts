/** KaTeX with its style and its fonts; a chunk of its own, which the first formula loads. */
import katex from 'katex'
import 'katex/dist/katex.min.css'

const maxDepth = 40

/**
 * Draws a formula into an element. Returns false, with the element empty, where it is no formula or beyond its bounds. Commands that load, link or
 * set attributes are refused, expansions and sizes bounded.
 */
export function drawFormula(source: string, element: HTMLElement, isDisplay: boolean): boolean {
  if (depthOf(source) > maxDepth) return false
  try {
    katex.render(source, element, {
      displayMode: isDisplay,
      trust: false,
      strict: 'ignore',
      maxExpand: 500,
      maxSize: 10,
      throwOnError: true,
    })
    return true
  } catch {
    element.replaceChildren()
    return false
  }
}

function depthOf(source: string): number {
  let depth = 0
  let deepest = 0
  for (const sign of source.matchAll(/\\?[{}]|\\left\b|\\right\b|\\begin\b|\\end\b/g)) {
    if (sign[0] === '{' || sign[0] === '\\left' || sign[0] === '\\begin') deepest = Math.max(deepest, ++depth)
    else if (sign[0] === '}' || sign[0] === '\\right' || sign[0] === '\\end') depth--
  }
  return deepest
}
