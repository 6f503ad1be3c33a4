/** The project that the pages of this tab are about; calls name it in a header. Another tab may be in another one. */
const storedAs = 'kherad.project'
const listeners = new Set<() => void>()

/** What this tab has chosen. A new tab begins with what was chosen last in any, and keeps it. */
export function project(): string | undefined {
  const own = sessionStorage.getItem(storedAs)
  if (own !== null) return own
  const last = localStorage.getItem(storedAs)
  if (last === null) return undefined
  sessionStorage.setItem(storedAs, last)
  return last
}

export function chooseProject(projectId: string | undefined): void {
  if (projectId === undefined) forgetProject()
  else for (const storage of [sessionStorage, localStorage]) storage.setItem(storedAs, projectId)
  for (const listener of listeners) listener()
}

/** The next page begins without a project; this one, which is being left, keeps its own. */
export function forgetProject(): void {
  for (const storage of [sessionStorage, localStorage]) storage.removeItem(storedAs)
}

export function subscribeProject(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
