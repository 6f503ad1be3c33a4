/** Leaves the page for good, once the session or the account of what it shows has ended. */
import { onlineManager } from '@tanstack/react-query'
import { forgetProject } from './project.ts'
import { noteSignedOut } from './session-hint.ts'

/** Goes to another page. Until it comes nothing more is read, for it would be refused; if the browser brings this page back as it was, it begins anew. */
export function leaveFor(path: string): void {
  onlineManager.setOnline(false)
  addEventListener('pageshow', ({ persisted }) => {
    if (persisted) location.reload()
  })
  location.assign(path)
}

/** Goes to the sign-in after the session has ended as the person wished. */
export function leaveSession(): void {
  noteSignedOut()
  forgetProject()
  leaveFor('/sign-in')
}
