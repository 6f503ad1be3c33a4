/** Sentences of the commands that delete accounts and people. */
import { type OptionHelp, sentence } from '../command.ts'

export const deletionOptions: OptionHelp = {
  confirm: {
    value: 'NAME',
    about: sentence('دقیقاً نامِ آنچه حذف می‌شود', 'exactly the name of what is deleted'),
  },
  cancel: { value: '', about: sentence('حذف را برمی‌گرداند', 'undoes the deletion') },
}

export const deletionTitles = {
  requested: sentence('درخواست', 'requested'),
  due: sentence('زمان حذف', 'due'),
}

export const deletionPhrases = {
  confirm: (name: string) =>
    sentence(`برای تأیید بنویسید: --confirm "${name}"`, `To confirm, write: --confirm "${name}"`),
  accountCloses: (name: string, due: string) =>
    sentence(
      `حساب «${name}» از اکنون فقط خواندنی است و در ${due} حذف می‌شود. به عضوها خبر داده می‌شود.`,
      `The account "${name}" can only be read from now on, and is deleted at ${due}. Its members are notified.`,
    ),
  accountKept: (name: string) =>
    sentence(`حساب «${name}» حذف نمی‌شود.`, `The account "${name}" is not deleted.`),
  personLeaves: (name: string, due: string) =>
    sentence(
      `«${name}» در ${due} حذف می‌شود. نشست‌هایش پایان یافت و به او خبر داده می‌شود.`,
      `"${name}" is deleted at ${due}. Their sessions have ended, and they are notified.`,
    ),
  personKept: (name: string) => sentence(`«${name}» حذف نمی‌شود.`, `"${name}" is not deleted.`),
  none: () => sentence('چیزی در انتظار حذف نیست.', 'Nothing is to be deleted.'),
}
