/** Makes elements from their parts. Texts stay texts: no text from outside is read as HTML. */

/**
 * @template {keyof HTMLElementTagNameMap} Name
 * @param {Name} name
 * @param {{ className?: string, text?: string }} [with_]
 * @param {(Node | string)[]} [children]
 * @returns {HTMLElementTagNameMap[Name]}
 */
export function make(name, { className, text } = {}, children = []) {
  const element = document.createElement(name)
  if (className !== undefined) element.className = className
  if (text !== undefined) element.textContent = text
  element.append(...children)
  return element
}

/** @param {string} id */
export function element(id) {
  const found = document.getElementById(id)
  if (!found) throw new Error(`no element ${id}`)
  return found
}
