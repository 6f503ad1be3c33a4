import { type BilingualText, type OptionHelp, sentence } from '../command.ts'

export const installationPhrases = {
  startAbout: (): BilingualText =>
    sentence(
      'سرور را اجرا می‌کند، مانند npm start؛ با --copy آنچه از دستگاهی دیگر آمده رونوشتی در کنار اصل است.',
      'Runs the server, as npm start does; with --copy, what comes from another machine is a copy beside its original.',
    ),
  startHelp: {
    role: {
      value: 'ROLE',
      about: {
        fa: 'کار این پردازه: all، api، worker، voice یا functions',
        en: 'what this process does: all, api, worker, voice or functions',
      },
    },
    copy: {
      value: '',
      about: {
        fa: 'نصبی که از دستگاه دیگری آمده رونوشت است و به آنچه اصل دارد دست نمی‌زند',
        en: 'an installation from another machine is a copy, and touches nothing that its original has',
      },
    },
  } satisfies OptionHelp,
  stopping: (): BilingualText => sentence('سرور متوقف می‌شود.', 'The server is stopping.'),
  adoptAbout: (): BilingualText =>
    sentence(
      'این پوشهٔ داده جای اصلِ خود را می‌گیرد: آغاز بعدی کارها، باکت و پایگاه‌های آن را به دست می‌گیرد.',
      'This data folder takes the place of its original: the next start takes over its jobs, bucket and databases.',
    ),
  adopted: (folder: string): BilingualText =>
    sentence(
      `${folder} از آغاز بعدی خودِ نصب است: سرور آن را دوباره آغاز کنید، و اصل را دیگر آغاز نکنید.`,
      `${folder} is the installation itself from its next start on: start its server again, and start the original no more.`,
    ),
  folderNew: (): BilingualText => sentence('هنوز آغاز نشده است.', 'It has not been started yet.'),
  folderOwn: (id: string): BilingualText => sentence(`نصب ${id}`, `installation ${id}`),
  folderMoved: (place: string): BilingualText =>
    sentence(
      `از ${place} منتقل شده و همان نصب است.`,
      `It was moved from ${place} and is the same installation.`,
    ),
  folderCopy: (place: string): BilingualText =>
    sentence(
      `رونوشتی از ${place} است: به آنچه اصل دارد دست نمی‌زند. اگر اصل دیگر نیست، kherad adopt را اجرا و دوباره آغاز کنید.`,
      `This is a copy of ${place}, and touches nothing that the original has: if the original is gone, run kherad adopt and start again.`,
    ),
}
