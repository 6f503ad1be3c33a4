/** The project that the pages are about; calls name it in a header. */
const storedAs = 'kherad.project'
const listeners = new Set<() => void>()

export const project = (): string | undefined => localStorage.getItem(storedAs) ?? undefined

export function chooseProject(projectId: string | undefined): void {
  if (projectId === undefined) localStorage.removeItem(storedAs)
  else localStorage.setItem(storedAs, projectId)
  for (const listener of listeners) listener()
}

export function subscribeProject(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
