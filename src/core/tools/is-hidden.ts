interface StyledElement {
  getAttribute(name: string): string | null
}

const isZero = (value: string): boolean => Number.parseFloat(value) === 0
type StyleRules = Readonly<Record<string, (value: string) => boolean>>
const hiding: StyleRules = {
  display: (value) => value === 'none',
  visibility: (value) => value === 'hidden' || value === 'collapse',
  'font-size': isZero,
}
const fading: StyleRules = { opacity: isZero }

/** Whether an element's own style hides it: text that is not shown to people must not be read by models either. */
export const isHidden = (element: StyledElement): boolean => hasStyle(element, hiding)

/** Whether an element is fully transparent, which hides it too unless a script reveals it. */
export const isFaded = (element: StyledElement): boolean => hasStyle(element, fading)

function hasStyle(element: StyledElement, rules: StyleRules): boolean {
  const style = element.getAttribute('style') ?? ''
  const declarations = style.toLowerCase().replace(/\/\*.*?(?:\*\/|$)|!\s*important/gs, '')
  return declarations.split(';').some((declaration) => {
    const [property = '', value = ''] = declaration.split(':', 2).map((part) => part.trim())
    return Object.hasOwn(rules, property) && rules[property]!(value)
  })
}
