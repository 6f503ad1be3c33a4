/** Light or dark: as the device has it, unless the person has chosen. */
export type Scheme = 'light' | 'dark' | 'auto'

const storedAs = 'kherad.scheme'
const listeners = new Set<() => void>()
const isDarkDevice = (): boolean => matchMedia('(prefers-color-scheme: dark)').matches

export function chosenScheme(): Scheme {
  const stored = localStorage.getItem(storedAs)
  return stored === 'light' || stored === 'dark' ? stored : 'auto'
}

export function shownScheme(): 'light' | 'dark' {
  const chosen = chosenScheme()
  if (chosen !== 'auto') return chosen
  return isDarkDevice() ? 'dark' : 'light'
}

export function subscribeScheme(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function chooseScheme(scheme: Scheme): void {
  if (scheme === 'auto') localStorage.removeItem(storedAs)
  else localStorage.setItem(storedAs, scheme)
  apply()
}

/** Sets the scheme before anything is shown, and follows the device from then on. */
export function startScheme(): void {
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', apply)
  apply()
}

function apply(): void {
  document.documentElement.setAttribute('data-mantine-color-scheme', shownScheme())
  for (const listener of listeners) listener()
}
