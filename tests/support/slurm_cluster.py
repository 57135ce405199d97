# SPDX-License-Identifier: Apache-2.0
"""A real Slurm on this machine alone: munged, slurmctld and a slurmd for each node, all ours, in a folder of their own."""
import getpass
import os
import pathlib
import shutil
import socket
import subprocess
import time

CONF = """ClusterName=pawl
SlurmctldHost={host}(127.0.0.1)
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
SlurmctldPort={port}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd-%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SwitchType=switch/none
ReturnToService=2
SchedulerParameters=batch_sched_delay=0,sched_interval=2
KillWait=2
SlurmdTimeout=20
{nodes}
PartitionName=main Nodes={names} Default=YES MaxTime=INFINITE State=UP
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel", "scontrol", "sinfo")
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


def missing():
    """Why there can be none; None: there can."""
    absent = [name for name in PROGRAMS if not shutil.which(name, path=PATH)]
    return f"not installed: {', '.join(absent)}" if absent else None


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


class Cluster:
    """Two nodes, each with one CPU for jobs."""

    def __init__(self, folder, names=("a", "b")):
        self.folder, self.names, self.programs = pathlib.Path(folder), names, []
        self.environment = {**os.environ, "SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": PATH}

    def program(self, *words):
        log = open(self.folder / f"{pathlib.Path(words[0]).name}.out", "ab")
        self.programs.append(subprocess.Popen(words, env=self.environment, stdin=subprocess.DEVNULL, stdout=log,
                                              stderr=log, start_new_session=True))
        log.close()

    def start(self):
        """None, or why it does not run."""
        folder, host = self.folder, socket.gethostname().split(".")[0]
        (folder / "state").mkdir(parents=True)
        folder.chmod(0o755)
        key = folder / "munge.key"
        key.write_bytes(os.urandom(128))
        key.chmod(0o400)
        nodes = "\n".join(f"NodeName={name} NodeHostname={host} NodeAddr=127.0.0.1 Port={free_port()} CPUs=1"
                          for name in self.names)
        (folder / "slurm.conf").write_text(CONF.format(host=host, user=getpass.getuser(), folder=folder,
                                                       port=free_port(), nodes=nodes, names=",".join(self.names)))
        which = {name: shutil.which(name, path=PATH) for name in PROGRAMS}
        self.program(which["munged"], "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
                     f"--pid-file={folder}/munge.pid", f"--log-file={folder}/munged.log",
                     f"--seed-file={folder}/munge.seed", "--num-threads=1")
        self.wait(lambda: (folder / "munge.socket").exists())
        self.program(which["slurmctld"], "-D", "-c")
        for name in self.names:
            self.program(which["slurmd"], "-D", "-N", name)
        if self.wait(lambda: self.tool("sinfo", "-h", "-o", "%T %D").split() == ["idle", str(len(self.names))]):
            return None
        return "Slurm did not start: " + self.tool("sinfo") + (folder / "slurmctld.log").read_text()[-600:]

    @staticmethod
    def wait(condition, seconds=60):
        until = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > until:
                return False
            time.sleep(0.2)
        return True

    def tool(self, *words):
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              timeout=60)
        return done.stdout

    def stop(self):
        self.tool("scancel", "--user", getpass.getuser())
        for program in reversed(self.programs):
            program.terminate()
        for program in self.programs:
            try:
                program.wait(timeout=10)
            except subprocess.TimeoutExpired:
                program.kill()
                program.wait()
