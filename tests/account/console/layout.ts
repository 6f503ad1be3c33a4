/** What is wrong with the layout of a page that is shown, found by measuring its boxes. */
import type { Page } from 'playwright-core'

/**
 * A sentence for each fault: the page scrolls sideways, something stands outside of the window, a text is cut or sticks out of its box, two texts
 * or two controls lie on each other, a control is smaller than 24 pixels.
 */
export const layoutFaults = (page: Page): Promise<string[]> => page.evaluate(`(${measure})()`)

/** Runs in the page, whose types the tests do not have. */
const measure = `() => {
  const faults = []
  const nameOf = (element) => {
    const text = (element.getAttribute('aria-label') || element.textContent || '').trim().slice(0, 40)
    return element.tagName.toLowerCase() + ' «' + text + '»'
  }
  const round = (number) => Math.round(number)
  const isShown = (element) => {
    if (!element.checkVisibility({ visibilityProperty: true, opacityProperty: true })) return false
    const { width, height } = element.getBoundingClientRect()
    return width > 1 && height > 1
  }
  const ancestors = function* (element) {
    for (let one = element; one && one !== document.documentElement; one = one.parentElement) yield one
  }
  const scrolls = (value) => value === 'auto' || value === 'scroll'
  const hides = (value) => value === 'hidden' || value === 'clip'
  /* What is read by programs alone is one pixel large; what scrolls by itself may be wider than the window. */
  /* Each is asked of many elements below the same ones. */
  const memo = (compute) => {
    const known = new Map()
    return (element) => {
      if (!element || element === document.documentElement) return undefined
      if (!known.has(element)) known.set(element, compute(element))
      return known.get(element)
    }
  }
  const styleOf = memo((element) => getComputedStyle(element))
  const isUnseen = memo((element) => {
    const { width, height } = element.getBoundingClientRect()
    return (hides(styleOf(element).overflowX) && (width <= 1 || height <= 1)) || isUnseen(element.parentElement)
  })
  const scroller = memo((element) => scrolls(styleOf(element).overflowX) ? element : scroller(element.parentElement))
  /* A line that ends in an ellipsis shows what fits of a text. */
  const isInLine = memo((element) => styleOf(element).textOverflow === 'ellipsis' || isInLine(element.parentElement))
  const layerOf = memo((element) =>
    ['fixed', 'absolute', 'sticky'].includes(styleOf(element).position) || element.getAttribute('role') === 'dialog'
      ? element
      : layerOf(element.parentElement))

  const excess = document.documentElement.scrollWidth - document.documentElement.clientWidth
  if (excess > 0) faults.push('the page is ' + excess + ' px wider than its window')

  const all = [...document.body.querySelectorAll('*')].filter((one) => !one.closest('svg') || one.tagName === 'svg')
  const controls = all.filter((one) => one.matches('button, a[href], input, select, textarea, summary, [role="button"], [role="tab"], [role="option"]') && isShown(one) && !isUnseen(one))
  const holders = all.filter((one) => [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '') && isShown(one) && !isUnseen(one))

  for (const element of new Set([...controls, ...holders])) {
    const { left, right } = element.getBoundingClientRect()
    const inside = scroller(element)
    if ((left < -1 || right > innerWidth + 1) && !isInLine(element.parentElement) && !(inside && inside.scrollWidth > inside.clientWidth))
      faults.push(nameOf(element) + ' stands outside of the window: ' + round(left) + ' to ' + round(right))
  }

  for (const element of holders) {
    for (const one of ancestors(element)) {
      const style = styleOf(one)
      const isLine = style.textOverflow === 'ellipsis' || style.webkitLineClamp !== 'none'
      if (hides(style.overflowX) && !isLine && one.scrollWidth > one.clientWidth + 1) {
        faults.push(nameOf(element) + ' is cut by ' + (one.scrollWidth - one.clientWidth) + ' px at its side')
        break
      }
      if (hides(style.overflowY) && !isLine && one.scrollHeight > one.clientHeight + 2 && one !== document.body) {
        faults.push(nameOf(element) + ' is cut by ' + (one.scrollHeight - one.clientHeight) + ' px at its end')
        break
      }
    }
  }

  const boxOf = memo((element) => {
    const { borderInlineStartWidth, borderInlineEndWidth, display } = styleOf(element)
    const hasBorders = parseFloat(borderInlineStartWidth) > 0 && parseFloat(borderInlineEndWidth) > 0
    return display !== 'inline' && hasBorders ? element : boxOf(element.parentElement)
  })
  const texts = []
  for (const element of holders) {
    const box = boxOf(element)
    const edges = box && box.getBoundingClientRect()
    const isScrolled = scroller(element)
    const isLine = isInLine(element)
    for (const node of element.childNodes) {
      if (node.nodeType !== 3 || node.data.trim() === '') continue
      const range = document.createRange()
      range.selectNodeContents(node)
      for (const rect of range.getClientRects()) {
        if (rect.width <= 1) continue
        if (edges && !isLine && !isScrolled && (rect.left < edges.left - 1 || rect.right > edges.right + 1))
          faults.push(nameOf(element) + ' sticks out of its box by ' + round(Math.max(edges.left - rect.left, rect.right - edges.right)) + ' px')
        if (!isLine && !isScrolled) texts.push({ element, rect })
      }
    }
  }

  /* Of those that begin in order of height, only neighbours can lie on each other. */
  const overlaps = (boxes, least, isMeant) => {
    const sorted = boxes.toSorted((a, b) => a.rect.top - b.rect.top)
    const pairs = new Map()
    for (const [at, a] of sorted.entries())
      for (let next = at + 1; next < sorted.length && sorted[next].rect.top < a.rect.bottom - least.height; next++) {
        const b = sorted[next]
        const wide = Math.min(a.rect.right, b.rect.right) - Math.max(a.rect.left, b.rect.left)
        const high = Math.min(a.rect.bottom, b.rect.bottom) - b.rect.top
        if (wide > least.width && high > least.height && a.element !== b.element && !isMeant(a.element, b.element))
          pairs.set(nameOf(a.element) + ' and ' + nameOf(b.element), round(wide) + '×' + round(high))
      }
    return pairs
  }
  const isMeant = (a, b) => a.contains(b) || b.contains(a) || layerOf(a) !== layerOf(b)
  for (const [pair, size] of overlaps(texts, { width: 2, height: 5 }, isMeant)) faults.push('texts lie on each other by ' + size + ' px: ' + pair)
  const areas = controls.map((element) => ({ element, rect: element.getBoundingClientRect() }))
  for (const [pair, size] of overlaps(areas, { width: 2, height: 2 }, isMeant)) faults.push('controls lie on each other by ' + size + ' px: ' + pair)

  /* A link may be as low as its line where nothing else lies within 12 pixels of its middle. */
  const isAlone = (element, { left, top, width, height }) => areas.every(({ element: other, rect }) => {
    const [x, y] = [left + width / 2, top + height / 2]
    const away = Math.hypot(Math.max(rect.left - x, 0, x - rect.right), Math.max(rect.top - y, 0, y - rect.bottom))
    return other === element || away >= 12
  })
  for (const { element, rect } of areas) {
    const isInline = element.matches('a') && styleOf(element).display === 'inline'
    const label = element.closest('label')
    const area = label && element.matches('input') ? label.getBoundingClientRect() : rect
    if (!isInline && (area.width < 24 || area.height < 24) && !(element.matches('a') && isAlone(element, rect)))
      faults.push(nameOf(element) + ' is ' + round(area.width) + '×' + round(area.height) + ' px small')
  }
  return [...new Set(faults)]
}`
