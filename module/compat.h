/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What differs between the kernels that tracemap builds for. No other file asks
 * for a kernel's version; what can be asked by feature is.
 */
#ifndef _TRACEMAP_COMPAT_H
#define _TRACEMAP_COMPAT_H

#include <linux/err.h>
#include <linux/fs.h>
#include <linux/namei.h>
#include <linux/poll.h>
#include <linux/string.h>
#include <linux/version.h>

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 19, 0)
#define COMPAT_HAVE_TAI_FAST
#endif

/* What stands before the dentry in inode_operations.setattr, and how it is passed on */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define COMPAT_IDMAP_ARG	struct mnt_idmap *idmap,
#define COMPAT_IDMAP		idmap,
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 12, 0)
#define COMPAT_IDMAP_ARG	struct user_namespace *idmap,
#define COMPAT_IDMAP		idmap,
#else
#define COMPAT_IDMAP_ARG
#define COMPAT_IDMAP
#endif

static inline void compat_init_times(struct inode *inode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 6, 0)
	simple_inode_init_ts(inode);
#else
	inode->i_ctime = current_time(inode);
	inode->i_mtime = inode->i_ctime;
	inode->i_atime = inode->i_ctime;
#endif
}

/*
 * Entries of a directory that exist only in the dcache. start_creating() looks
 * NAME up with the directory locked: EEXIST if it is there, ENOENT if the
 * directory is gone. make_persistent() fills the dentry and pins it;
 * done_creating() unlocks and drops what start_creating() took, filled or not.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 19, 0)

#define compat_start_creating(parent, name)	simple_start_creating(parent, name)
#define compat_make_persistent(dentry, inode)	d_make_persistent(dentry, inode)
#define compat_done_creating(dentry)		simple_done_creating(dentry)
#define compat_kill_super(sb)			kill_anon_super(sb)

#else

static inline struct dentry *compat_lookup(struct dentry *parent, const char *name)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return lookup_noperm(&QSTR(name), parent);
#else
	return lookup_one_len(name, parent, strlen(name));
#endif
}

static inline struct dentry *compat_start_creating(struct dentry *parent, const char *name)
{
	struct dentry *dentry = ERR_PTR(-ENOENT);

	inode_lock(d_inode(parent));
	if (!IS_DEADDIR(d_inode(parent)))
		dentry = compat_lookup(parent, name);
	if (!IS_ERR(dentry) && d_really_is_positive(dentry)) {
		dput(dentry);
		dentry = ERR_PTR(-EEXIST);
	}
	if (IS_ERR(dentry))
		inode_unlock(d_inode(parent));
	return dentry;
}

static inline void compat_make_persistent(struct dentry *dentry, struct inode *inode)
{
	d_instantiate(dentry, inode);
	dget(dentry);
}

static inline void compat_done_creating(struct dentry *dentry)
{
	inode_unlock(d_inode(dentry->d_parent));
	dput(dentry);
}

#define compat_kill_super(sb)			kill_litter_super(sb)

#endif

/* What the tracefs of this kernel puts into the header of a record */
#if LINUX_VERSION_CODE < KERNEL_VERSION(5, 12, 0)
#define TRACE_FLAG_IRQS_OFF		0x01
#define TRACE_FLAG_IRQS_NOSUPPORT	0x02
#define TRACE_FLAG_NEED_RESCHED		0x04
#define TRACE_FLAG_HARDIRQ		0x08
#define TRACE_FLAG_SOFTIRQ		0x10
#define TRACE_FLAG_PREEMPT_RESCHED	0x20
#define TRACE_FLAG_NMI			0x40
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 15, 0)
#define COMPAT_TRACE_MIGRATE_DISABLE
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 17, 0)
#define COMPAT_TRACE_BH_OFF		TRACE_FLAG_BH_OFF
#else
#define COMPAT_TRACE_BH_OFF		0
#endif

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define COMPAT_TRACE_IRQS_NOSUPPORT	0
#else
#define COMPAT_TRACE_IRQS_NOSUPPORT	TRACE_FLAG_IRQS_NOSUPPORT
#endif

/* Where a reschedule can be asked for lazily, too, this is the other kind */
#ifdef tif_need_resched_now
#define compat_need_resched_now()	tif_need_resched_now()
#else
#define compat_need_resched_now()	tif_need_resched()
#endif

/* Debian's PREEMPT_RT up to 6.1 counts lazy preemption, in each record, too */
#ifdef CONFIG_HAVE_PREEMPT_LAZY
#define COMPAT_TRACE_LAZY_COUNT
#endif

/* The id of ftrace:raw_data: other types were put in before it */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
#define COMPAT_TRACE_RAW_DATA		19
#elif LINUX_VERSION_CODE >= KERNEL_VERSION(5, 14, 0)
#define COMPAT_TRACE_RAW_DATA		18
#else
#define COMPAT_TRACE_RAW_DATA		16
#endif

/* Fields know their array's length since 6.2, and in 6.1's later releases */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 1, 13)
#define COMPAT_HAVE_FIELD_LEN
#endif

/* The arguments of a probe on sched_process_exit, behind its own */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
#define compat_process_exit_args	struct task_struct *task, bool group_dead
#else
#define compat_process_exit_args	struct task_struct *task
#endif

/* Does poll() ask to be woken? The kernel's own question for that has come and gone */
static inline bool compat_poll_waits(const poll_table *table)
{
	return table && table->_qproc;
}

/* A mapping's flags are set by functions since 6.3, and were a plain field before */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
#define compat_vm_flags_mod(vma, set, clear)	vm_flags_mod(vma, set, clear)
#else
#define compat_vm_flags_mod(vma, set, clear) \
	((vma)->vm_flags = ((vma)->vm_flags | (set)) & ~(clear))
#endif

/* In vm_operations_struct: may the mapping be split? */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(5, 11, 0)
#define compat_may_split		may_split
#else
#define compat_may_split		split
#endif

#endif /* _TRACEMAP_COMPAT_H */
