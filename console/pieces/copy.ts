/** Copies a text. Returns false where the browser refuses, as it does on plain HTTP at another host. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text)
    return true
  } catch {
    return copyBySelection(text)
  }
}

/** The older way, which also works without HTTPS. */
function copyBySelection(text: string): boolean {
  const holder = document.createElement('textarea')
  holder.value = text
  holder.setAttribute('readonly', '')
  holder.style.position = 'fixed'
  holder.style.opacity = '0'
  const host = document.querySelector('[role=dialog]') ?? document.body
  host.append(holder)
  holder.select()
  const isCopied = document.execCommand('copy')
  holder.remove()
  return isCopied
}
